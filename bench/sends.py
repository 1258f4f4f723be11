"""How many messages a second leave one process, and what each costs, beside bare posts."""

import asyncio
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any

import aiohttp
import msgspec
import uvloop

from tidings.domain.integrations import Credentials
from tidings.providers import registry
from tidings.providers.delivery import Network, send
from tidings.providers.exchange import encode
from tidings.providers.messages import EmailMessage, SmsMessage

_AT_ONCE = 50
_SENDS = 4000
_ROUNDS = 5
_ANSWER = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"id": "s1"}'
)
_CREDENTIALS = {
    "email-webhook": {"secretKey": "k" * 32, "from": "news@example.com"},
    "generic-sms": {"apiKey": "k" * 32, "apiKeyRequestHeader": "X-Key", "from": "News"},
}

One = Callable[[int], Awaitable[None]]


class Sink(asyncio.Protocol):
    """Answers every request at once, without reading more of it than its length."""

    def __init__(self) -> None:
        self._held = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._held += data
        while (end := self._held.find(b"\r\n\r\n")) >= 0:
            head = self._held[:end].lower()
            start = head.find(b"content-length:")
            length = int(head[start + 15 :].split(b"\r\n", 1)[0]) if start >= 0 else 0
            if len(self._held) < end + 4 + length:
                return
            self._held = self._held[end + 4 + length :]
            self._transport.write(_ANSWER)


def _serve(told: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())


def run() -> None:
    ours, theirs = multiprocessing.Pipe()
    sink = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    sink.start()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_measure(f"http://127.0.0.1:{ours.recv()}/x"))
    finally:
        sink.terminate()
        sink.join()


async def _measure(url: str) -> None:
    network = Network.guarded((), True, ())
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit_per_host=_AT_ONCE)
    ) as session:
        for id in _CREDENTIALS:
            sends, bare = _through(id, url, network), _bare(id, url, session)
            figures: dict[str, list[tuple[float, float]]] = {"bare": [], "ours": []}
            for _ in range(_ROUNDS):
                figures["bare"].append(await _round(bare))
                figures["ours"].append(await _round(sends))
            _report(id, figures)
    await network.close()


def _message(id: str, number: int) -> EmailMessage | SmsMessage:
    if id == "generic-sms":
        return SmsMessage(id=f"m{number}", to="+15005550006", content="Your tea is ready. " * 5)
    return EmailMessage(
        id=f"m{number}",
        to=("ada@example.com",),
        subject="Your tea is ready",
        html="<p>It is on the table.</p>" * 40,
        text="It is on the table. " * 40,
    )


def _through(id: str, url: str, network: Network) -> One:
    provider = registry.every()[id]
    credentials = {**_CREDENTIALS[id], "baseUrl": url, "webhookUrl": url}

    async def one(number: int) -> None:
        result = await send(provider, credentials, _message(id, number), network, datetime.now(UTC))
        assert result.id == "s1", result

    return one


def _bare(id: str, url: str, session: aiohttp.ClientSession) -> One:
    """The same bytes, made beforehand, and the id read from the answer."""
    provider = registry.every()[id]
    credentials = msgspec.convert(
        {**_CREDENTIALS[id], "baseUrl": url, "webhookUrl": url}, Credentials
    )
    made = encode(provider.build_request(_message(id, 0), credentials))

    async def one(number: int) -> None:
        async with session.post(made.url, data=made.body, headers=made.headers) as answer:
            assert msgspec.json.decode(await answer.read())["id"] == "s1"

    return one


async def _round(one: One) -> tuple[float, float]:
    """Sends per second, and seconds of CPU for each."""
    numbers = iter(range(_SENDS))

    async def caller() -> None:
        for number in numbers:
            await one(number)

    started, cpu = time.monotonic(), time.process_time()
    await asyncio.gather(*(caller() for _ in range(_AT_ONCE)))
    took, used = time.monotonic() - started, time.process_time() - cpu
    return _SENDS / took, used / _SENDS


def _report(id: str, figures: dict[str, list[tuple[float, float]]]) -> None:
    middle = {
        who: [statistics.median(column) for column in zip(*rounds, strict=True)]
        for who, rounds in figures.items()
    }
    for who, label in (("bare", "bare aiohttp posts"), ("ours", f"through {id}")):
        rate, cpu = middle[who]
        print(f"{label:<24} {rate:8.0f} /s   {cpu * 1e6:5.0f} µs of CPU each")
    ratio = middle["ours"][1] / middle["bare"][1]
    print(f"{'ratio':<24} {middle['bare'][0] / middle['ours'][0]:8.2f}      {ratio:5.2f}   (aim 2)")
