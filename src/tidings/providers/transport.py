"""Performs HTTP calls: one pool, time-outs, a limit on answers, no redirects, no cookies, and only
to addresses that the guard lets pass, which are resolved once and pinned."""

import asyncio
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Protocol

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from tidings import __version__
from tidings.providers.exchange import Encoded, Response
from tidings.providers.guard import Guard, RefusedTargetError

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
TOTAL_SECONDS = 30.0
LARGEST_ANSWER = 1024 * 1024
_DEFAULT_HEADERS = {"User-Agent": f"Tidings/{__version__}", "Accept-Encoding": "identity"}


class UnreachableError(Exception):
    """The other side could not be reached, or did not answer in time."""


class Http(Protocol):
    async def send(self, request: Encoded) -> Response:
        """Raises UnreachableError or RefusedTargetError."""

    async def close(self) -> None: ...


class HttpTransport:
    def __init__(
        self,
        guard: Guard,
        connect_seconds: float = CONNECT_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self._guard = guard
        self._timeout = aiohttp.ClientTimeout(total=total_seconds, connect=connect_seconds)
        self._largest_answer = largest_answer
        self._session: aiohttp.ClientSession | None = None
        self._http2: httpx.AsyncClient | None = None

    async def send(self, request: Encoded) -> Response:
        target = self._guard.check_url(request.url)
        try:
            if request.http2:
                return await self._send_http2(request, target.host, target.port)
            return await self._send(request)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise UnreachableError(_reason(error)) from None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._http2 is not None:
            await self._http2.aclose()

    async def _send(self, request: Encoded) -> Response:
        async with self._pool().request(
            request.method,
            URL(request.url, encoded=True),  # signatures depend on its not being encoded anew
            headers={**_DEFAULT_HEADERS, **request.headers},
            data=request.body or None,
            allow_redirects=False,
        ) as answer:
            body = bytearray()
            while len(body) < self._largest_answer:
                chunk = await answer.content.read(self._largest_answer - len(body))
                if not chunk:
                    break
                body += chunk
                if answer.content.at_eof():
                    break
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return Response(status=answer.status, headers=headers, body=bytes(body))

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_GuardedResolver(self._guard), limit=200, limit_per_host=50
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                trust_env=False,
                skip_auto_headers=["Content-Type"],
            )
        return self._session

    async def _send_http2(self, request: Encoded, host: str, port: int) -> Response:
        import httpx

        if self._http2 is None:
            self._http2 = httpx.AsyncClient(
                http2=True,
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(self._timeout.total, connect=self._timeout.connect),
            )
        address = (await resolve(self._guard, host, port))[0][1]
        url = httpx.URL(request.url)
        headers = {**_DEFAULT_HEADERS, **request.headers, "Host": url.netloc.decode()}
        try:
            async with self._http2.stream(
                request.method,
                url.copy_with(host=address),
                headers=headers,
                content=request.body,
                extensions={"sni_hostname": host},
            ) as answer:
                body = bytearray()
                async for chunk in answer.aiter_raw():
                    body += chunk
                    if len(body) >= self._largest_answer:
                        break
        except httpx.HTTPError as error:
            raise UnreachableError(_reason(error)) from None
        found = {name.lower(): value for name, value in answer.headers.items()}
        return Response(
            status=answer.status_code, headers=found, body=bytes(body[: self._largest_answer])
        )


async def resolve(guard: Guard, host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    """The addresses of a host that may be called, each with its family; raises when none may."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UnreachableError(f"{host} cannot be resolved: {_reason(error)}") from None
    passed: list[tuple[socket.AddressFamily, str]] = []
    refusal: RefusedTargetError | None = None
    for family, _, _, _, place in found:
        address = str(place[0])
        try:
            guard.check_address(ip_address(address.partition("%")[0]))
        except RefusedTargetError as error:
            refusal = error
        else:
            passed.append((family, address))
    if not passed:
        raise refusal or UnreachableError(f"{host} has no address.")
    return passed


class _GuardedResolver(AbstractResolver):
    """What it returns is what aiohttp connects to, so a name cannot change in between."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=found,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for found, address in await resolve(self._guard, host, port)
        ]

    async def close(self) -> None:
        pass


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "There was no answer in time."
    return str(error) or type(error).__name__
