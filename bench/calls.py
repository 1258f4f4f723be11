"""Calls an HTTP server over many connections, and writes down how long each call took."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar, cast

import uvloop

from bench.report import Timing

T = TypeVar("T")
_HEAD_END = b"\r\n\r\n"


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def request(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + _HEAD_END + body


class Connection(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(_HEAD_END)
        if found and len(body) >= _length(head) and self._answer is not None:
            answer, self._answer = self._answer, None
            self._received = b""
            answer.set_result(head + _HEAD_END + body)

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None:
            self._answer.set_exception(error or ConnectionError("the server hung up"))

    async def ask(self, request: bytes) -> bytes:
        """The whole answer; raises unless it says that all is well."""
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        answer = await self._answer
        if not answer.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(answer.decode(errors="replace"))
        return answer

    def close(self) -> None:
        self._transport.close()


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


async def connect(port: int, count: int) -> list[Connection]:
    loop = asyncio.get_running_loop()
    return [(await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(count)]


async def hammer(port: int, make: Callable[[], bytes], connections: int, seconds: float) -> Timing:
    """Every connection asks again as soon as it is answered."""
    waits: list[float] = []

    async def caller(connection: Connection) -> None:
        while (begun := time.perf_counter()) < end:
            await connection.ask(make())
            waits.append(time.perf_counter() - begun)

    opened = await connect(port, connections)
    started = time.perf_counter()
    end = started + seconds
    return await _timed(opened, caller, started, waits)


async def pace(
    port: int, make: Callable[[], bytes], connections: int, seconds: float, rate: float
) -> Timing:
    """Requests arrive at an even rate; what is asked late has waited since its turn."""
    waits: list[float] = []
    turns = iter(range(int(rate * seconds)))

    async def caller(connection: Connection) -> None:
        for turn in turns:
            due = started + turn / rate
            if (pause := due - time.perf_counter()) > 0:
                await asyncio.sleep(pause)
            await connection.ask(make())
            waits.append(time.perf_counter() - due)

    opened = await connect(port, connections)
    started = time.perf_counter()
    return await _timed(opened, caller, started, waits)


async def send_all(port: int, requests: list[bytes], connections: int) -> Timing:
    """Each request once."""
    waits: list[float] = []
    left = iter(requests)

    async def caller(connection: Connection) -> None:
        for each in left:
            begun = time.perf_counter()
            await connection.ask(each)
            waits.append(time.perf_counter() - begun)

    opened = await connect(port, connections)
    started = time.perf_counter()
    return await _timed(opened, caller, started, waits)


async def _timed(
    opened: list[Connection],
    caller: Callable[[Connection], Awaitable[None]],
    started: float,
    waits: list[float],
) -> Timing:
    try:
        await asyncio.gather(*map(caller, opened))
    finally:
        for connection in opened:
            connection.close()
    return Timing(len(waits), time.perf_counter() - started, sorted(waits))
