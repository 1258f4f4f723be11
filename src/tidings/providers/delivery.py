"""Sends one message through one vendor: the only way out, and the one function the engine calls."""

import asyncio
import hashlib
from collections.abc import Generator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers import references
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import is_missing, secret_names
from tidings.providers.exchange import (
    Conversation,
    Grant,
    Request,
    Response,
    SmtpRequest,
    SmtpResponse,
    Token,
    encode,
)
from tidings.providers.guard import Guard, RefusedTargetError
from tidings.providers.messages import AnyMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    SENT,
    Event,
    Result,
    Verdict,
    together,
)
from tidings.providers.overrides import lay_over
from tidings.providers.smtp import Mail, SmtpTransport
from tidings.providers.transport import Http, HttpTransport, UnreachableError

_AT_ONCE = 20
_RAW_LENGTH = 2000
_EARLY = timedelta(seconds=60)
_MOST_TOKENS = 1000
_MOST_ACCOUNTS = 1000
_MOST_FETCHED = 32
_FETCHED_FOR = timedelta(days=1)
_HIDDEN = "[hidden]"


class Network:
    """The ways out of one process. Made once and passed in; tests pass their own."""

    def __init__(self, http: Http, mail: Mail, allowed_references: tuple[str, ...] = ()) -> None:
        self.http = http
        self.mail = mail
        self.allowed_references = allowed_references
        self.tokens = _Tokens()
        self.accounts = _Accounts()
        self._fetched: dict[str, tuple[bytes, datetime]] = {}

    @classmethod
    def guarded(
        cls, allow: tuple[str, ...], loopback: bool, allowed_references: tuple[str, ...]
    ) -> "Network":
        guard = Guard(allow, loopback)
        return cls(HttpTransport(guard), SmtpTransport(guard), allowed_references)

    async def fetch(self, request: Request, at: datetime) -> bytes:
        """What a vendor publishes, such as the certificate it signs with: kept or fetched."""
        kept, until = self._fetched.get(request.url, (b"", at))
        if at < until:
            return kept
        return (await self.http.send(encode(request))).body

    def keep(self, request: Request, content: bytes, at: datetime) -> None:
        """Keep what was fetched for a day, now that it proved to be right."""
        if at < self._fetched.get(request.url, (b"", at))[1]:
            return
        self._fetched.pop(request.url, None)
        while len(self._fetched) >= _MOST_FETCHED:
            del self._fetched[next(iter(self._fetched))]
        self._fetched[request.url] = (content, at + _FETCHED_FOR)

    async def close(self) -> None:
        await self.http.close()
        await self.mail.close()


async def send(
    provider: AnyProvider,
    credentials: Mapping[str, Any],
    message: AnyMessage,
    network: Network,
    now: datetime,
) -> Result:
    """What became of it. Never raises for what a vendor or the network does."""
    try:
        account = network.accounts.of(provider, credentials, network.allowed_references)
    except references.UnresolvedError as error:
        return Result(outcome=BAD_CREDENTIALS, reason=str(error))
    if account.missing:
        return Result(outcome=BAD_CREDENTIALS, reason=f"{', '.join(account.missing)} is required.")
    message = msgspec.structs.replace(message, at=now)
    parts = provider.split(message)
    if not parts:
        return Result(outcome=BAD_RECIPIENT, reason="There is nobody to send to.")
    if len(parts) == 1:
        return _finished(await _one(account, parts[0], network), account, message)
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(part: AnyMessage) -> Result:
        async with gate:
            return await _one(account, part, network)

    every = await asyncio.gather(*(one(part) for part in parts))
    return _finished(together(every), account, message)


async def fetch_receipts(
    provider: AnyProvider, credentials: Mapping[str, Any], ids: Sequence[str], network: Network
) -> list[Event]:
    """The receipts that the vendor has ready; none when it cannot be asked."""
    try:
        account = network.accounts.of(provider, credentials, network.allowed_references)
        request = provider.ask_receipts(ids, account.given)
        return provider.parse_receipts(await network.http.send(encode(request)))
    except (references.UnresolvedError, RefusedTargetError, UnreachableError):
        return []


async def _one(account: "_Account", part: AnyMessage, network: Network) -> Result:
    provider = account.provider
    call = _Call(account, part, network)
    try:
        result = await call.run(provider.converse(part, account.given))
    except RefusedTargetError as error:
        result = Result(outcome=BAD_REQUEST, reason=str(error))
    except UnreachableError as error:
        result = Result(outcome=RETRYABLE, reason=str(error))
    except Exception as error:
        fault = type(error).__name__
        result = Result(
            outcome=BAD_REQUEST,
            reason=f"The adapter of {provider.name} failed on this message or its answer: {fault}.",
        )
    verdicts = result.verdicts or tuple(
        Verdict(target=target, outcome=result.outcome, id=result.id, reason=result.reason)
        for target in provider.targets(part)
        if target
    )
    raw = result.raw or call.last[:_RAW_LENGTH]
    dropped = result.dropped or (provider.dropped(part) if provider.cannot else ())
    return msgspec.structs.replace(result, verdicts=verdicts, raw=raw, dropped=dropped)


class _Call:
    """One conversation with a vendor."""

    def __init__(self, account: "_Account", message: AnyMessage, network: Network) -> None:
        self._account = account
        self._message = message
        self._network = network
        self.last = ""

    async def run(self, conversation: Conversation) -> Result:
        brought: Any = None
        while True:
            try:
                step = conversation.send(brought)
            except StopIteration as end:
                result: Result = end.value
                return result
            if isinstance(step, Token):
                brought = await self._token(step)
                if isinstance(brought, Result):
                    conversation.close()
                    return brought
            elif isinstance(step, SmtpRequest):
                brought = await self._mail(step)
            else:
                brought = await self._http(lay_over(step, self._message.overrides))

    async def _http(self, request: Request) -> Response:
        response = await self._network.http.send(encode(request))
        self.last = response.text()
        return response

    async def _mail(self, request: SmtpRequest) -> SmtpResponse:
        response = await self._network.mail.send(request)
        self.last = f"{response.code} {response.text}"
        return response

    async def _token(self, wanted: Token) -> str | Result:
        tokens, at = self._network.tokens, self._message.at
        place = (self._account.provider.id, self._account.digest, wanted.key)
        async with tokens.lock(place):
            kept = None if wanted.again else tokens.find(place, at)
            if kept is not None:
                return kept
            grant = await self._obtain(wanted.obtain())
            if isinstance(grant, Grant):
                tokens.keep(place, grant, at)
                return grant.token
            return grant

    async def _obtain(
        self, conversation: Generator[Request, Response, Grant | Result]
    ) -> Grant | Result:
        try:
            request = next(conversation)
            while True:
                request = conversation.send(await self._http(request))
        except StopIteration as end:
            grant: Grant | Result = end.value
            return grant


class _Tokens:
    """Access tokens, kept until shortly before they expire."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], tuple[str, datetime]] = {}
        self._locks: dict[tuple[str, ...], asyncio.Lock] = {}

    def lock(self, place: tuple[str, ...]) -> asyncio.Lock:
        return self._locks.setdefault(place, asyncio.Lock())

    def find(self, place: tuple[str, ...], at: datetime) -> str | None:
        token, until = self._kept.get(place, ("", at))
        return token if at < until else None

    def keep(self, place: tuple[str, ...], grant: Grant, at: datetime) -> None:
        if len(self._kept) >= _MOST_TOKENS:
            self._kept = {old: kept for old, kept in self._kept.items() if kept[1] > at}
            self._locks = {old: lock for old, lock in self._locks.items() if lock.locked()}
        self._kept[place] = (grant.token, at + timedelta(seconds=grant.seconds) - _EARLY)


class _Account:
    """A vendor and the credentials to send through it, made ready."""

    def __init__(self, provider: AnyProvider, resolved: Mapping[str, Any]) -> None:
        self.provider = provider
        self.missing = [each.label for each in provider.credentials if is_missing(each, resolved)]
        self.given = _given(provider, resolved)
        self._resolved = resolved
        names = secret_names(provider.credentials)
        self._secrets = [
            value
            for name, value in resolved.items()
            if name in names and isinstance(value, str) and len(value) >= 4
        ]

    @cached_property
    def digest(self) -> str:
        content = msgspec.json.encode(dict(self._resolved), order="deterministic")
        return hashlib.sha256(content).hexdigest()

    def hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text


class _Accounts:
    """Accounts that were made ready before: as long as the credentials are the same object, which
    nobody changes, and refer to nothing that may change elsewhere."""

    def __init__(self) -> None:
        self._ready: dict[int, tuple[Mapping[str, Any], _Account]] = {}

    def of(
        self, provider: AnyProvider, credentials: Mapping[str, Any], allowed: tuple[str, ...]
    ) -> _Account:
        known, account = self._ready.get(id(credentials), (None, None))
        if account is not None and known is credentials and account.provider is provider:
            return account
        account = _Account(provider, references.resolve(credentials, allowed))
        if not any(references.is_reference(value) for value in credentials.values()):
            if len(self._ready) >= _MOST_ACCOUNTS:
                self._ready.clear()
            self._ready[id(credentials)] = (credentials, account)
        return account


def _given(provider: AnyProvider, resolved: Mapping[str, Any]) -> Credentials:
    defaults = {field.name: field.default for field in provider.credentials}
    filled = {name: value for name, value in defaults.items() if value is not None}
    filled.update({name: value for name, value in resolved.items() if value not in (None, "")})
    return msgspec.convert(filled, Credentials)


def _finished(result: Result, account: _Account, message: AnyMessage) -> Result:
    """Our id and our clock where the vendor gave none; and no secret in what people will read."""
    hide = account.hide
    verdicts = result.verdicts
    if any(verdict.reason for verdict in verdicts):
        verdicts = tuple(
            msgspec.structs.replace(verdict, reason=hide(verdict.reason)) for verdict in verdicts
        )
    sent = result.outcome == SENT
    return msgspec.structs.replace(
        result,
        id=(result.id or message.id) if sent else result.id,
        date=(result.date or message.at) if sent else result.date,
        reason=hide(result.reason),
        raw=hide(result.raw),
        verdicts=verdicts,
    )
