"""Sends mail over SMTP: pooled connections, STARTTLS, TLS from the first byte, AUTH; to addresses
that the guard lets pass, resolved once and pinned."""

import asyncio
import hashlib
import socket
import ssl
import time
from contextlib import suppress
from typing import Protocol

import aiosmtplib
import msgspec

from tidings.providers.exchange import SmtpRequest, SmtpResponse
from tidings.providers.guard import Guard
from tidings.providers.transport import UnreachableError, resolve

TIMEOUT_SECONDS = 30.0
_IDLE_SECONDS = 20.0
_MOST_IDLE = 5


class Mail(Protocol):
    async def send(self, request: SmtpRequest) -> SmtpResponse:
        """Raises UnreachableError or RefusedTargetError."""

    async def close(self) -> None: ...


class SmtpTransport:
    def __init__(self, guard: Guard, timeout: float = TIMEOUT_SECONDS) -> None:
        self._guard = guard
        self._timeout = timeout
        self._idle: dict[bytes, list[tuple[float, aiosmtplib.SMTP]]] = {}

    async def send(self, request: SmtpRequest) -> SmtpResponse:
        """The server's answer: also a refusal is one."""
        mark = _mark(request)
        try:
            client = await self._reuse(mark) or await self._connect(request)
        except aiosmtplib.SMTPResponseException as error:
            return SmtpResponse(code=error.code, text=error.message)
        except _Lacking as lacking:
            return SmtpResponse(code=530, text=str(lacking))
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise UnreachableError(str(error) or type(error).__name__) from None
        answer = None
        try:
            answer = await self._hand_over(client, request)
        except (aiosmtplib.SMTPException, OSError, TimeoutError) as error:
            raise UnreachableError(str(error) or type(error).__name__) from None
        finally:
            self._keep(mark, client, healthy=answer is not None and answer.code != 421)
        return answer

    async def close(self) -> None:
        for clients in self._idle.values():
            for _, client in clients:
                with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
                    await client.quit(timeout=2)
        self._idle = {}

    async def _hand_over(self, client: aiosmtplib.SMTP, request: SmtpRequest) -> SmtpResponse:
        try:
            refused, text = await client.sendmail(
                request.sender, list(request.recipients), request.content
            )
        except aiosmtplib.SMTPRecipientsRefused as error:
            told = {one.recipient: (one.code, one.message) for one in error.recipients}
            worst = error.recipients[0]
            return SmtpResponse(code=worst.code, text=worst.message, refused=told)
        except aiosmtplib.SMTPResponseException as error:
            return SmtpResponse(code=error.code, text=error.message)
        told = {address: (answer.code, answer.message) for address, answer in refused.items()}
        return SmtpResponse(code=250, text=text, refused=told)

    async def _reuse(self, mark: bytes) -> aiosmtplib.SMTP | None:
        clients = self._idle.get(mark, [])
        while clients:
            since, client = clients.pop()
            if client.is_connected and time.monotonic() - since < _IDLE_SECONDS:
                with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
                    await client.rset(timeout=5)
                    return client
            client.close()
        return None

    def _keep(self, mark: bytes, client: aiosmtplib.SMTP, healthy: bool) -> None:
        clients = self._idle.setdefault(mark, [])
        if healthy and client.is_connected and len(clients) < _MOST_IDLE:
            clients.append((time.monotonic(), client))
        else:
            client.close()

    async def _connect(self, request: SmtpRequest) -> aiosmtplib.SMTP:
        host = self._guard.check_host(request.host)
        options = request.tls_options
        client = aiosmtplib.SMTP(
            hostname=str(options.get("servername") or host),
            sock=await self._socket(host, request.port),
            timeout=self._timeout,
            use_tls=request.secure,
            start_tls=False,
            tls_context=_tls(request),
        )
        try:
            await client.connect()
            if not request.secure and not request.ignore_tls:
                await _upgrade(client, request)
            if request.user and request.password:
                await client.login(request.user, request.password)
        except BaseException:
            client.close()
            raise
        return client

    async def _socket(self, host: str, port: int) -> socket.socket:
        loop = asyncio.get_running_loop()
        trouble: Exception | None = None
        for family, address in await resolve(self._guard, host, port):
            sock = socket.socket(family, socket.SOCK_STREAM)
            sock.setblocking(False)
            try:
                async with asyncio.timeout(self._timeout):
                    await loop.sock_connect(sock, (address, port))
            except (OSError, TimeoutError) as error:
                sock.close()
                trouble = error
            except BaseException:
                sock.close()
                raise
            else:
                return sock
        raise UnreachableError(f"{host}:{port} does not answer: {trouble}") from None


class _Lacking(Exception):  # noqa: N818
    """The server lacks what the credentials require."""


async def _upgrade(client: aiosmtplib.SMTP, request: SmtpRequest) -> None:
    await client.ehlo()
    if client.supports_extension("starttls"):
        await client.starttls()
        await client.ehlo()
    elif request.require_tls:
        raise _Lacking("The server does not offer STARTTLS, which Require TLS asks for.")


def _tls(request: SmtpRequest) -> ssl.SSLContext:
    options = request.tls_options
    authority = options.get("ca")
    try:
        context = ssl.create_default_context(cadata=str(authority) if authority else None)
    except ssl.SSLError:
        raise _Lacking("The certificate under `ca` in the TLS options cannot be read.") from None
    if options.get("rejectUnauthorized") is False:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.minimum_version = (
        ssl.TLSVersion.TLSv1_3 if options.get("minVersion") == "TLSv1.3" else ssl.TLSVersion.TLSv1_2
    )
    return context


def _mark(request: SmtpRequest) -> bytes:
    """Connections are shared by requests that would open the same one."""
    opened = msgspec.structs.replace(request, sender="", recipients=(), content=b"")
    return hashlib.sha256(msgspec.json.encode(opened)).digest()
