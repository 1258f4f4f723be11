"""Shows every websocket to the protocol that it speaks."""

from litestar.types import Receive, Scope, Send

from tidings.clock import Clock
from tidings.inbox import door, socket_io
from tidings.inbox.live import Live
from tidings.inbox.plain_socket import PlainSocket
from tidings.inbox.socket_io import SocketIo

PLAIN = f"{door.PREFIX}/socket"
_PLAIN_PATHS = ("/", PLAIN)
"""A client that is only told the address of the server speaks to its root."""


class Sockets:
    """All ways to a live inbox that stay open."""

    def __init__(self, live: Live, clock: Clock) -> None:
        self.live = live
        self._plain = PlainSocket(live)
        self.socket_io = SocketIo(live, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == socket_io.PREFIX or path.startswith(f"{socket_io.PREFIX}/"):
            await self.socket_io(scope, receive, send)
        elif path in _PLAIN_PATHS:
            await self._plain(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1000, "reason": ""})

    async def start(self) -> None:
        await self.live.start()

    async def stop(self) -> None:
        await self.live.stop()
        await self.socket_io.stop()
