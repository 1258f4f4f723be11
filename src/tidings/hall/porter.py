"""Shows every request to its door, by the first words of its path; websockets have their own."""

from collections.abc import Mapping

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send


class Porter:
    """One application per prefix; everything else goes to the main door."""

    def __init__(self, main: ASGIApp, doors: Mapping[str, ASGIApp], sockets: ASGIApp) -> None:
        self._main = main
        self._sockets = sockets
        self._doors = tuple((prefix, f"{prefix}/", door) for prefix, door in doors.items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.WEBSOCKET:
            await self._sockets(scope, receive, send)
            return
        path = scope["path"]
        for prefix, below, door in self._doors:
            if path == prefix or path.startswith(below):
                await door(scope, receive, send)
                return
        await self._main(scope, receive, send)
