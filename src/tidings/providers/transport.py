"""Performs HTTP calls: one pool, time-outs, a limit on answers, no redirects, no cookies, and only
to addresses that the guard lets pass, which are resolved once and pinned."""

import asyncio
import socket
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Protocol

from tidings import __version__
from tidings.providers.exchange import Encoded, Response
from tidings.providers.guard import Guard, RefusedTargetError
from tidings.providers.http1 import Client

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
TOTAL_SECONDS = 30.0
LARGEST_ANSWER = 1024 * 1024
_DEFAULT_HEADERS = {
    "User-Agent": f"Tidings/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
}


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
        self._connect_seconds = connect_seconds
        self._total_seconds = total_seconds
        self._largest_answer = largest_answer
        self._http1 = Client(
            partial(resolve, guard),
            _DEFAULT_HEADERS,
            connect_seconds=connect_seconds,
            total_seconds=total_seconds,
            largest_answer=largest_answer,
        )
        self._http2: httpx.AsyncClient | None = None

    async def send(self, request: Encoded) -> Response:
        target = self._guard.check_url(request.url)
        try:
            if request.http2:
                return await self._send_http2(request, target.host, target.port)
            return await self._http1.send(request, target)
        except OSError as error:
            raise UnreachableError(_reason(error)) from None

    async def close(self) -> None:
        await self._http1.close()
        if self._http2 is not None:
            await self._http2.aclose()

    async def _send_http2(self, request: Encoded, host: str, port: int) -> Response:
        import httpx

        if self._http2 is None:
            self._http2 = httpx.AsyncClient(
                http2=True,
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(self._total_seconds, connect=self._connect_seconds),
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


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "There was no answer in time."
    return str(error) or type(error).__name__
