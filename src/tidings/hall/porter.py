"""Shows every request to its door, by the first words of its path."""

from collections.abc import Mapping

from litestar.types import ASGIApp, Receive, Scope, Send


class Porter:
    """One application per prefix; everything else goes to the main door."""

    def __init__(self, main: ASGIApp, doors: Mapping[str, ASGIApp]) -> None:
        self._main = main
        self._doors = tuple((prefix, f"{prefix}/", door) for prefix, door in doors.items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        for prefix, below, door in self._doors:
            if path == prefix or path.startswith(below):
                await door(scope, receive, send)
                return
        await self._main(scope, receive, send)
