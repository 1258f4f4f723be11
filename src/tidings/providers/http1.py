"""HTTP/1.1 as a sender of small messages needs it: kept connections, time-outs, a limit on answers.

No redirects, no cookies, no proxies. The bytes are read by httptools, the parser under our server;
see docs/decisions/0008-an-http-client-of-our-own.md for why this is not left to a library.
"""

import asyncio
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import cast

import aiohappyeyeballs
import httptools

from tidings.providers.exchange import Encoded, Response
from tidings.providers.guard import Target

MOST_CONNECTIONS = 200
MOST_PER_HOST = 50

_IDLE_SECONDS = 15.0
_RESOLVED_SECONDS = 10.0
"""How long a host's addresses are taken to be the same, for servers that close every connection."""
_NEXT_ADDRESS_SECONDS = 0.25
_LARGEST_HEAD = 64 * 1024
_FRAMES = 8
"""A body may be this many times as long on the wire, since chunks are framed."""
_HAVE_BODIES = frozenset({"POST", "PUT", "PATCH"})

Addresses = Callable[[str, int], Awaitable[list[tuple[socket.AddressFamily, str]]]]
"""Where a host may be reached."""


class Client:
    """Raises OSError, of which TimeoutError is one, when there is no answer."""

    def __init__(
        self,
        addresses: Addresses,
        defaults: Mapping[str, str],
        connect_seconds: float,
        total_seconds: float,
        largest_answer: int,
    ) -> None:
        self._addresses = addresses
        self._defaults = {name.lower(): f"{name}: {value}" for name, value in defaults.items()}
        self._connect_seconds = connect_seconds
        self._total_seconds = total_seconds
        self._largest_answer = largest_answer
        self._places = asyncio.Semaphore(MOST_CONNECTIONS)
        self._wanting = 0
        self._hosts: dict[tuple[str, int, bool], _Host] = {}
        self._sweeping: asyncio.TimerHandle | None = None

    async def send(self, request: Encoded, target: Target) -> Response:
        content = self._bytes(request, target)
        key = (target.host, target.port, target.secure)
        host = self._hosts.get(key)
        if host is None:
            host = self._hosts[key] = _Host()
        host.users += 1
        try:
            async with host.places:
                deadline = asyncio.get_running_loop().time() + self._total_seconds
                connection = host.take() or await self._connect(host, target)
                answer = await connection.exchange(content, deadline)
                if connection.is_reusable and not self._wanting:
                    self._keep(host, connection)
                else:
                    connection.abort()
                return answer
        finally:
            host.users -= 1
            self._sweep_later()

    async def close(self) -> None:
        if self._sweeping is not None:
            self._sweeping.cancel()
        for host in self._hosts.values():
            host.close_idle(before=None)

    def _keep(self, host: "_Host", connection: "_Connection") -> None:
        connection.idle_since = asyncio.get_running_loop().time()
        host.idle.append(connection)

    def _sweep_later(self) -> None:
        if self._sweeping is None:
            loop = asyncio.get_running_loop()
            self._sweeping = loop.call_later(_IDLE_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """Close what was not used for long, before the other side does, and forget its host."""
        loop = asyncio.get_running_loop()
        for key, host in list(self._hosts.items()):
            host.close_idle(before=loop.time() - _IDLE_SECONDS)
            if host.is_unused:
                del self._hosts[key]
        self._sweeping = None
        if self._hosts:
            self._sweep_later()

    def _bytes(self, request: Encoded, target: Target) -> bytes:
        given = {name.lower() for name in request.headers}
        lines = [f"{request.method} {target.path} HTTP/1.1"]
        if "host" not in given:
            lines.append(f"Host: {target.authority}")
        lines += [line for name, line in self._defaults.items() if name not in given]
        lines += [f"{name}: {value}" for name, value in request.headers.items()]
        if request.body or request.method in _HAVE_BODIES:
            lines.append(f"Content-Length: {len(request.body)}")
        head = "\r\n".join(lines)
        breaks = len(lines) - 1
        if "\0" in head or head.count("\r") != breaks or head.count("\n") != breaks:
            raise ValueError("A header holds a line break")
        return head.encode() + b"\r\n\r\n" + request.body

    async def _connect(self, host: "_Host", target: Target) -> "_Connection":
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(self._connect_seconds):
            await self._take_place()
            try:
                if host.resolved_until <= loop.time():
                    host.addresses = await self._addresses(target.host, target.port)
                    host.resolved_until = loop.time() + _RESOLVED_SECONDS
                connected = await aiohappyeyeballs.start_connection(
                    [_place(family, address, target.port) for family, address in host.addresses],
                    happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS,
                )
            except BaseException:
                self._places.release()
                raise
            made = _Connection(self._largest_answer, self._places.release)
            try:
                await loop.create_connection(
                    lambda: made,
                    sock=connected,
                    ssl=self._tls if target.secure else None,
                    server_hostname=target.host.rstrip(".") if target.secure else None,
                )
            except BaseException:
                connected.close()
                made.give_up()
                raise
        return made

    async def _take_place(self) -> None:
        """A resting connection makes room; else one that would rest."""
        if self._places.locked():
            every = (connection for host in self._hosts.values() for connection in host.idle)
            if idle := [connection for connection in every if connection.is_reusable]:
                min(idle, key=lambda connection: connection.idle_since).abort()
        self._wanting += 1
        try:
            await self._places.acquire()
        finally:
            self._wanting -= 1

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()


def _place(family: socket.AddressFamily, address: str, port: int) -> aiohappyeyeballs.AddrInfoType:
    where = (address, port, 0, 0) if family == socket.AF_INET6 else (address, port)
    return family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", where


class _Host:
    """One place to connect to, and the connections to it that nobody uses at the moment."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(MOST_PER_HOST)
        self.users = 0
        self.addresses: list[tuple[socket.AddressFamily, str]] = []
        self.resolved_until = 0.0
        self.idle: list[_Connection] = []

    @property
    def is_unused(self) -> bool:
        return not self.users and not self.idle

    def take(self) -> "_Connection | None":
        """The one that was used last, which the other side is least likely to have closed."""
        while self.idle:
            connection = self.idle.pop()
            if connection.is_reusable:
                return connection
        return None

    def close_idle(self, before: float | None) -> None:
        kept: list[_Connection] = []
        for connection in self.idle:
            if before is None or connection.idle_since <= before or not connection.is_reusable:
                connection.abort()
            else:
                kept.append(connection)
        self.idle = kept


class _Connection(asyncio.Protocol):
    """One exchange after the other."""

    idle_since: float

    def __init__(self, largest_answer: int, on_end: Callable[[], None]) -> None:
        self._largest_answer = largest_answer
        self._on_end: Callable[[], None] | None = on_end
        self._most = largest_answer * _FRAMES + _LARGEST_HEAD
        self._parser = httptools.HttpResponseParser(self)
        self._waiting: asyncio.Future[Response] | None = None
        self._received = 0
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._in_body = False
        self.is_reusable = True

    async def exchange(self, content: bytes, deadline: float) -> Response:
        loop = asyncio.get_running_loop()
        self._received = 0
        self._in_body = False
        self._waiting = loop.create_future()
        timer = loop.call_at(deadline, self._fail, TimeoutError())
        try:
            self._transport.write(content)
            return await self._waiting
        except BaseException:
            self.abort()
            raise
        finally:
            timer.cancel()

    def give_up(self) -> None:
        """It is over, or never came to be."""
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end()

    def abort(self) -> None:
        self.is_reusable = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_reusable = False
        self.give_up()
        if self._in_body and not {"content-length", "transfer-encoding"} & self._headers.keys():
            self._finish()
        else:
            self._fail(error or ConnectionError("The connection was closed without an answer."))

    def data_received(self, data: bytes) -> None:
        if self._waiting is None:
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(ConnectionError("The answer cannot be read."))
        self._received += len(data)
        most = self._most if self._in_body else _LARGEST_HEAD
        if self._waiting is not None and self._received > most:
            self._fail(ConnectionError("The answer is too long."))

    def on_message_begin(self) -> None:
        if self._waiting is None:
            self.is_reusable = False
        self._headers = {}
        self._body = bytearray()
        self._in_body = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_body:
            self._headers[name.decode("latin-1").lower()] = value.decode("utf-8", "replace")

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        self._in_body = self._status >= 200

    def on_body(self, data: bytes) -> None:
        self._body += data
        if len(self._body) >= self._largest_answer:
            del self._body[self._largest_answer :]
            self.is_reusable = False
            self._finish()

    def on_message_complete(self) -> None:
        if self._in_body:
            self.is_reusable = self.is_reusable and self._parser.should_keep_alive()
            self._finish()

    def _finish(self) -> None:
        self._in_body = False
        if self._transport.get_write_buffer_size():
            self.is_reusable = False
        waiting, self._waiting = self._waiting, None
        if waiting is None or waiting.done():
            return
        try:
            body = self._plain(bytes(self._body))
        except zlib.error:
            waiting.set_exception(ConnectionError("The answer cannot be unpacked."))
        else:
            waiting.set_result(Response(status=self._status, headers=self._headers, body=body))

    def _plain(self, body: bytes) -> bytes:
        """We ask for answers as they are; some servers compress them all the same."""
        if not body or self._headers.get("content-encoding", "identity") == "identity":
            return body
        automatic = 32 + zlib.MAX_WBITS
        return zlib.decompressobj(automatic).decompress(body, self._largest_answer)

    def _fail(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
        self.abort()
