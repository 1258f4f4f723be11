"""The HTTP client against servers that answer byte by byte what a test says."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop

from tests.certificates import self_signed
from tidings.providers import http1
from tidings.providers.exchange import Encoded
from tidings.providers.guard import Guard
from tidings.providers.transport import HttpTransport, UnreachableError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """Counts connections and keeps what came in on them."""

    def __init__(self) -> None:
        self.connections = 0
        self.most_at_once = 0
        self.received: list[bytes] = []
        self.url = ""
        self._open = 0

    @asynccontextmanager
    async def running(
        self, answer: Answer, tls: ssl.SSLContext | None = None
    ) -> AsyncIterator["Server"]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections += 1
            self._open += 1
            self.most_at_once = max(self._open, self.most_at_once)
            try:
                await answer(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                self._open -= 1
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
        scheme = "https" if tls else "http"
        self.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        try:
            yield self
        finally:
            server.close()

    async def request(self, reader: asyncio.StreamReader) -> bytes:
        head = await reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        whole = head + await reader.readexactly(length)
        self.received.append(whole)
        return whole


def always(server: Server, *answers: bytes) -> Answer:
    """One answer per request, the last one again and again."""
    waiting = list(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await server.request(reader)
            writer.write(waiting.pop(0) if len(waiting) > 1 else waiting[0])
            await writer.drain()

    return answer


def once(server: Server, *pieces: bytes) -> Answer:
    """These pieces one after the other, then the end of the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return answer


def post(url: str, body: bytes = b"hello", headers: dict[str, str] | None = None) -> Encoded:
    return Encoded(method="POST", url=url, headers=headers or {}, body=body)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    transport = HttpTransport(Guard(loopback=True), total_seconds=5, largest_answer=1000)
    yield transport
    await transport.close()


async def test_one_connection_serves_one_request_after_the_other(
    server: Server, transport: HttpTransport
) -> None:
    async with server.running(always(server, OK)):
        for number in range(3):
            answer = await transport.send(post(server.url, str(number).encode()))
            assert (answer.status, answer.body) == (200, b"ok")
    assert server.connections == 1
    assert [each[-1:] for each in server.received] == [b"0", b"1", b"2"]


async def test_no_more_connections_to_one_host_than_allowed(
    server: Server, transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http1, "MOST_PER_HOST", 3)
    async with server.running(always(server, OK)):
        await asyncio.gather(*(transport.send(post(server.url)) for _ in range(20)))
    assert server.most_at_once == server.connections == 3
    assert len(server.received) == 20


async def test_resting_connections_make_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http1, "MOST_CONNECTIONS", 2)
    transport = HttpTransport(Guard(loopback=True), total_seconds=5)
    servers = [Server() for _ in range(4)]
    async with AsyncExitStack() as running:
        for each in servers:
            await running.enter_async_context(each.running(always(each, OK)))
        for each in (*servers, *servers):
            assert (await transport.send(post(each.url))).body == b"ok"
        unheard = Server()
        with pytest.raises(UnreachableError):
            async with unheard.running(always(unheard, OK)):
                pass
            await transport.send(post(unheard.url))
        answers = await asyncio.gather(*(transport.send(post(each.url)) for each in servers * 5))
        assert {each.body for each in answers} == {b"ok"}
    await transport.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b"
        % (len(gzip.compress(b"abcde", mtime=0)), gzip.compress(b"abcde", mtime=0)),
    ],
    ids=["chunks", "continue", "compressed"],
)
async def test_bodies_are_read_however_they_are_framed(
    server: Server, transport: HttpTransport, answer: bytes
) -> None:
    async with server.running(always(server, answer)):
        for _ in range(2):
            assert (await transport.send(post(server.url))).body == b"abcde"
    assert server.connections == 1


async def test_a_body_may_end_with_the_connection(server: Server, transport: HttpTransport) -> None:
    async with server.running(once(server, b"HTTP/1.0 200 OK\r\nX-A: \xc3\xa9\r\n\r\nab", b"cd")):
        for _ in range(2):
            answer = await transport.send(post(server.url))
            assert (answer.body, answer.headers["x-a"]) == (b"abcd", "é")
    assert server.connections == 2


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (b"HTTP/1.1 200 OK\r\nContent-Le",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",),
        (b"SSH-2.0-OpenSSH_9.2\r\n",),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"1;" + b"x" * 9000] * 20),
    ],
    ids=[
        *("nothing", "half a head", "half a body", "half a chunk", "another protocol", "upgrade"),
        *("not compressed", "endless head", "endless frame"),
    ],
)
async def test_what_is_no_answer_is_told_as_such(
    server: Server, transport: HttpTransport, pieces: tuple[bytes, ...]
) -> None:
    async with server.running(once(server, *pieces)):
        for _ in range(2):
            with pytest.raises(UnreachableError, match=r"answer|reset"):
                await transport.send(post(server.url))
    assert server.connections == 2


async def test_a_large_answer_is_cut_and_its_connection_given_up(
    server: Server, transport: HttpTransport
) -> None:
    large = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000
    async with server.running(always(server, large)):
        for _ in range(2):
            assert (await transport.send(post(server.url))).body == b"x" * 1000
    assert server.connections == 2


async def test_a_long_answer_may_come_at_once(server: Server) -> None:
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n" + b"x" * 500_000
    transport = HttpTransport(Guard(loopback=True))
    async with server.running(always(server, long)):
        for _ in range(2):
            assert len((await transport.send(post(server.url))).body) == 500_000
    await transport.close()
    assert server.connections == 1


async def test_a_connection_that_the_other_side_gave_up_is_not_used_again(
    server: Server, transport: HttpTransport
) -> None:
    async with server.running(once(server, OK)):
        for _ in range(3):
            assert (await transport.send(post(server.url))).body == b"ok"
            await asyncio.sleep(0.01)
    async with Server().running(
        once(server, OK.replace(b"200 OK", b"200 OK\r\nConnection: close"))
    ) as closing:
        for _ in range(2):
            assert (await transport.send(post(closing.url))).body == b"ok"
        assert closing.connections == 2


async def test_a_name_is_not_looked_up_for_every_connection(
    server: Server, transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    lookups = []
    look_up = loop.getaddrinfo

    async def counted(host: str, *given: Any, **named: Any) -> Any:
        lookups.append(host)
        return await look_up(host, *given, **named)

    monkeypatch.setattr(loop, "getaddrinfo", counted)
    closing = OK.replace(b"200 OK", b"200 OK\r\nConnection: close")
    async with server.running(always(server, closing)):
        named = server.url.replace("127.0.0.1", "localhost")

        async def send_some() -> None:
            for _ in range(5):
                await transport.send(post(named))

        await asyncio.gather(*(send_some() for _ in range(3)))
    assert server.connections == 15
    assert len(lookups) <= 3, "those who connect first look it up, and nobody after them"


async def test_more_than_was_asked_for_is_nobody_elses_answer(
    server: Server, transport: HttpTransport
) -> None:
    async with server.running(always(server, OK + b"HTTP/1.1 500 No\r\n\r\n")):
        for _ in range(3):
            assert (await transport.send(post(server.url))).status == 200


async def test_an_idle_connection_is_closed_after_a_while(
    server: Server, transport: HttpTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http1, "_IDLE_SECONDS", 0.01)
    gone = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        writer.write(OK)
        await reader.read()
        gone.set()

    async with server.running(answer):
        await transport.send(post(server.url))
        await asyncio.wait_for(gone.wait(), 5)


async def test_who_stops_waiting_leaves_no_answer_behind(
    server: Server, transport: HttpTransport
) -> None:
    arrived = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.request(reader)
        if server.connections == 1:
            arrived.set()
            await reader.read()
        writer.write(OK)

    async with server.running(answer):
        waiting = asyncio.create_task(transport.send(post(server.url)))
        await asyncio.wait_for(arrived.wait(), 5)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await transport.send(post(server.url))).body == b"ok"
    assert server.connections == 2


async def test_the_request_is_written_as_given(server: Server, transport: HttpTransport) -> None:
    async with server.running(always(server, OK)):
        await transport.send(
            Encoded(
                method="PUT",
                url=f"{server.url}a%2Fb?c=%20&d#e",
                headers={"x-Own": "1", "USER-AGENT": "mine"},
                body=b"",
            )
        )
        await transport.send(Encoded(method="GET", url=server.url + "?", headers={}, body=b""))
    put, get = server.received
    assert put.startswith(b"PUT /a%2Fb?c=%20&d HTTP/1.1\r\n")
    place = server.url.split("/")[2].encode()
    assert b"\r\nHost: " + place + b"\r\n" in put
    assert b"\r\nx-Own: 1\r\n" in put
    assert b"\r\nContent-Length: 0\r\n" in put
    assert put.lower().count(b"user-agent") == 1
    assert get.startswith(b"GET /? HTTP/1.1\r\n")
    assert b"Content-Length" not in get


@pytest.mark.parametrize("value", ["a\r\nX-Other: 1", "a\nb", "a\rb", "a\0b"])
async def test_a_header_cannot_bring_another(
    server: Server, transport: HttpTransport, value: str
) -> None:
    async with server.running(always(server, OK)):
        with pytest.raises(ValueError, match="header"):
            await transport.send(post(server.url, headers={"X-Own": value}))
        with pytest.raises(ValueError, match="header"):
            await transport.send(post(server.url, headers={value: "x"}))
    assert server.received == []


async def test_a_server_is_known_by_its_certificate(
    server: Server, transport: HttpTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, _ = self_signed(tmp_path, "localhost")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with server.running(always(server, OK), context):
        named = server.url.replace("127.0.0.1", "localhost")
        with pytest.raises(UnreachableError, match="certificate"):
            await transport.send(post(named))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        trusting = HttpTransport(Guard(loopback=True))
        for _ in range(2):
            assert (await trusting.send(post(named))).body == b"ok"
        with pytest.raises(UnreachableError, match="certificate"):
            await trusting.send(post(server.url))
        await trusting.close()
    assert [each.partition(b"\r\n")[0] for each in server.received] == [b"POST / HTTP/1.1"] * 2


def test_the_loop_that_serves_carries_it_too() -> None:
    """uvloop's transports are not those of the standard library."""

    async def talk() -> None:
        server = Server()
        transport = HttpTransport(Guard(loopback=True))
        async with server.running(always(server, OK)):
            for _ in range(2):
                assert (await transport.send(post(server.url))).body == b"ok"
        assert server.connections == 1
        async with Server().running(once(server, b"HTTP/1.1 200 OK\r\n\r\nab")) as ending:
            assert (await transport.send(post(ending.url))).body == b"ab"
        await transport.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(talk())
