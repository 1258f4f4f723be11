"""The HTTP transport against a real server on this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from tidings.providers.exchange import Encoded
from tidings.providers.guard import Guard, RefusedTargetError
from tidings.providers.transport import HttpTransport, UnreachableError, resolve


@pytest.fixture
async def base() -> AsyncIterator[str]:
    async def echo(request: web.Request) -> web.Response:
        body = await request.read()
        answer = web.json_response(
            {
                "method": request.method,
                "path": request.raw_path,
                "headers": {name.lower(): value for name, value in request.headers.items()},
                "body": body.decode(),
            }
        )
        answer.set_cookie("session", "1")
        return answer

    async def large(request: web.Request) -> web.Response:
        return web.Response(body=b"x" * 5000)

    async def away(request: web.Request) -> web.Response:
        raise web.HTTPFound("/echo")

    async def slow(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    app = web.Application()
    app.router.add_route("*", "/echo", echo)
    app.router.add_get("/large", large)
    app.router.add_get("/away", away)
    app.router.add_get("/slow", slow)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    transport = HttpTransport(Guard(loopback=True), total_seconds=0.5, largest_answer=1000)
    yield transport
    await transport.close()


def get(url: str, **headers: str) -> Encoded:
    return Encoded(method="GET", url=url, headers=headers, body=b"")


async def test_sends_exactly_what_it_is_given(base: str, transport: HttpTransport) -> None:
    request = Encoded(
        method="POST",
        url=f"{base}/echo?a=%2B1&b=x%20y",
        headers={"Content-Type": "application/json", "X-Own": "1"},
        body=b'{"a":1}',
    )
    seen = (await transport.send(request)).json()
    assert seen["method"] == "POST"
    assert seen["path"] == "/echo?a=%2B1&b=x%20y"
    assert seen["body"] == '{"a":1}'
    assert seen["headers"]["x-own"] == "1"
    assert seen["headers"]["user-agent"].startswith("Tidings/")


async def test_the_way_for_http2_is_pinned_and_limited_alike(
    base: str, transport: HttpTransport
) -> None:
    by_name = base.replace("127.0.0.1", "localhost")
    request = Encoded(
        method="POST", url=f"{by_name}/echo", headers={"X-Own": "1"}, body=b"x", http2=True
    )
    seen = (await transport.send(request)).json()
    assert by_name.endswith(seen["headers"]["host"])
    assert seen["body"] == "x"
    large = Encoded(method="GET", url=f"{base}/large", headers={}, body=b"", http2=True)
    assert len((await transport.send(large)).body) == 1000
    with pytest.raises(RefusedTargetError):
        await transport.send(
            Encoded(method="GET", url="http://10.0.0.1/", headers={}, body=b"", http2=True)
        )


async def test_keeps_no_cookies(base: str, transport: HttpTransport) -> None:
    await transport.send(get(f"{base}/echo"))
    second = (await transport.send(get(f"{base}/echo"))).json()
    assert "cookie" not in second["headers"]


async def test_follows_no_redirect(base: str, transport: HttpTransport) -> None:
    answer = await transport.send(get(f"{base}/away"))
    assert (answer.status, answer.headers["location"]) == (302, "/echo")


async def test_reads_no_more_than_the_limit(base: str, transport: HttpTransport) -> None:
    assert len((await transport.send(get(f"{base}/large"))).body) == 1000


async def test_gives_up_on_a_slow_answer(base: str, transport: HttpTransport) -> None:
    with pytest.raises(UnreachableError, match="in time"):
        await transport.send(get(f"{base}/slow"))


async def test_tells_when_nobody_listens(transport: HttpTransport) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(UnreachableError):
            await transport.send(get(f"http://127.0.0.1:{port}/"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_refuses_this_machine_outside_development(base: str, host: str) -> None:
    transport = HttpTransport(Guard())
    try:
        with pytest.raises(RefusedTargetError):
            await transport.send(get(base.replace("127.0.0.1", host) + "/echo"))
    finally:
        await transport.close()


async def test_a_name_is_judged_by_what_it_resolves_to(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()

    async def answers(host: str, port: int, **_: object) -> list[object]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", port)),
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", port)),
        ]

    monkeypatch.setattr(loop, "getaddrinfo", answers)
    assert await resolve(Guard(), "example.com", 443) == [(socket.AF_INET, "93.184.216.34")]
    monkeypatch.setattr(loop, "getaddrinfo", lambda *a, **k: _only_private())
    with pytest.raises(RefusedTargetError):
        await resolve(Guard(), "example.com", 443)


async def _only_private() -> list[object]:
    return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("fd00::1", 443, 0, 0))]
