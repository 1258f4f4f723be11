"""socket.io, which the published inbox clients speak, over websockets.

Long polling is not offered: its requests would have to reach the same process every time.
"""

import asyncio
import importlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from tidings import log
from tidings.clock import Clock
from tidings.hall.errors import ErrorOut
from tidings.hall.wire import iso
from tidings.inbox.live import Live
from tidings.inbox.news import News
from tidings.inbox.plain_socket import REFUSED, token_in
from tidings.inbox.tokens import Visitor
from tidings.storage.database import AWAY

if TYPE_CHECKING:
    import socketio

PREFIX = "/socket.io"
_NAMESPACE = "/"
_MOST_WAITING = 100
_PROOF_SECONDS = 10.0
"""How long a connection may stay without showing its token."""
_LARGEST_FRAME = 65536

_log = log.get("inbox")


class SocketLine:
    """One socket. Events go to the layer below socket.io, written once for all who get them."""

    def __init__(
        self, server: "socketio.AsyncServer", sid: str, visitor: Visitor, token: str
    ) -> None:
        self.visitor = visitor
        self.token = token
        self._server = server
        self._sid = sid
        self._transport: str = server.manager.eio_sid_from_sid(sid, _NAMESPACE)

    async def tell(self, news: News) -> bool:
        socket = self._server.eio.sockets.get(self._transport)
        if socket is None or socket.closed:
            return True
        if socket.queue.qsize() >= _MOST_WAITING:
            return False
        await self._server.eio.send(self._transport, f'2["{news.event}",{news.data}]')
        return True

    async def hang_up(self) -> None:
        self._server.start_background_task(self._say_goodbye)

    async def stop(self) -> None:
        """Closing the transport is left to the web server: a client that socket.io itself says
        goodbye to would not come back."""

    async def _say_goodbye(self) -> None:
        await self._server.disconnect(self._sid)
        await self._server.eio.disconnect(self._transport)


class _Call:
    """One websocket, from its handshake to its end."""

    def __init__(self) -> None:
        self.line: SocketLine | None = None
        self.over = False


class SocketIo:
    """The application behind the address. The library is loaded for the first who connects."""

    def __init__(self, live: Live, clock: Clock) -> None:
        self._live = live
        self._clock = clock
        self._loading = asyncio.Lock()
        self._server: socketio.AsyncServer | None = None
        self._app: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.WEBSOCKET:
            await self._refuse_polling(scope, send)
            return
        async with self._loading:
            if self._app is None:
                await self._load()
        call = scope["state"]["call"] = _Call()
        running = asyncio.ensure_future(self._app(scope, receive, send))
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_PROOF_SECONDS, _cut_unproven, call, running)
        try:
            await asyncio.wait([running])
            if not running.cancelled() and (error := running.exception()) is not None:
                _log.error("socket_failed", exc_info=error)
        finally:
            timer.cancel()
            running.cancel()
            call.over = True
            if call.line is not None:
                self._live.leave(call.line)

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.shutdown()

    async def _load(self) -> None:
        library = await asyncio.to_thread(importlib.import_module, "socketio")
        self._server = library.AsyncServer(
            async_mode="asgi",
            cors_allowed_origins="*",
            transports=["websocket"],
            max_http_buffer_size=_LARGEST_FRAME,
        )
        self._server.on("connect", self._connect)
        self._app = library.ASGIApp(self._server, socketio_path=PREFIX)

    async def _connect(self, sid: str, environ: dict[str, Any], auth: Any) -> None:
        assert self._server is not None
        scope: Scope = environ["asgi.scope"]
        call: _Call = scope["state"]["call"]
        token = _token(scope, auth)
        try:
            visitor = await self._live.tokens.visitor(token)
            if visitor is None or call.line is not None:
                raise _refusal(REFUSED)
            call.line = SocketLine(self._server, sid, visitor, token)
            await self._live.join(call.line)
        except AWAY as error:
            _log.warning("inbox_not_connected", reason=str(error) or type(error).__name__)
            raise _refusal("The service cannot reach its database. Try again soon.") from None
        if call.over:
            self._live.leave(call.line)

    async def _refuse_polling(self, scope: Scope, send: Send) -> None:
        status = HTTPStatus.BAD_REQUEST
        out = ErrorOut(
            status_code=status,
            timestamp=iso(self._clock.now()),
            path=scope["path"],
            message="socket.io is served over websockets only: connect with "
            "`transports: ['websocket']`.",
            error=status.phrase,
            ctx={},
        )
        body = msgspec.json.encode(out)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"access-control-allow-origin", b"*"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def _token(scope: Scope, auth: Any) -> str:
    given = auth.get("token") if isinstance(auth, dict) else None
    return given if isinstance(given, str) else token_in(scope)


def _refusal(message: str) -> Exception:
    from socketio.exceptions import ConnectionRefusedError

    refused: Exception = ConnectionRefusedError(message)
    return refused


def _cut_unproven(call: _Call, running: asyncio.Future[None]) -> None:
    if call.line is None:
        running.cancel()
