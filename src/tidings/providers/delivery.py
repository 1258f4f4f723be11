"""Sends one message through one vendor: the only way out, and the one function the engine calls."""

import asyncio
import hashlib
from collections.abc import Generator, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers import references
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import secret_names
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
_HIDDEN = "[hidden]"


class Network:
    """The ways out of one process. Made once and passed in; tests pass their own."""

    def __init__(self, http: Http, mail: Mail, allowed_references: tuple[str, ...] = ()) -> None:
        self.http = http
        self.mail = mail
        self.allowed_references = allowed_references
        self.tokens = _Tokens()

    @classmethod
    def guarded(
        cls, allow: tuple[str, ...], loopback: bool, allowed_references: tuple[str, ...]
    ) -> "Network":
        guard = Guard(allow, loopback)
        return cls(HttpTransport(guard), SmtpTransport(guard), allowed_references)

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
        resolved = references.resolve(credentials, network.allowed_references)
    except references.UnresolvedError as error:
        return Result(outcome=BAD_CREDENTIALS, reason=str(error))
    if missing := _missing(provider, resolved):
        return Result(outcome=BAD_CREDENTIALS, reason=f"{', '.join(missing)} is required.")
    message = msgspec.structs.replace(message, at=now)
    parts = provider.split(message)
    if not parts:
        return Result(outcome=BAD_RECIPIENT, reason="There is nobody to send to.")
    if len(parts) == 1:
        result = await _one(provider, resolved, parts[0], network)
        return _finished(together([result]), provider, resolved, message)
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(part: AnyMessage) -> Result:
        async with gate:
            return await _one(provider, resolved, part, network)

    every = await asyncio.gather(*(one(part) for part in parts))
    return _finished(together(every), provider, resolved, message)


async def _one(
    provider: AnyProvider, resolved: Mapping[str, Any], part: AnyMessage, network: Network
) -> Result:
    call = _Call(provider, resolved, part, network)
    try:
        result = await call.run(provider.converse(part, _given(provider, resolved)))
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
    targets = provider.targets(part)
    verdicts = result.verdicts or tuple(
        Verdict(target=target, outcome=result.outcome, id=result.id, reason=result.reason)
        for target in targets
        if target
    )
    raw = result.raw or call.last[:_RAW_LENGTH]
    return msgspec.structs.replace(
        result, verdicts=verdicts, raw=raw, dropped=result.dropped or provider.dropped(part)
    )


class _Call:
    """One conversation with a vendor."""

    def __init__(
        self,
        provider: AnyProvider,
        resolved: Mapping[str, Any],
        message: AnyMessage,
        network: Network,
    ) -> None:
        self._owner = (provider.id, _digest(resolved))
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
        place = (*self._owner, wanted.key)
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


def _given(provider: AnyProvider, resolved: Mapping[str, Any]) -> Credentials:
    defaults = {field.name: field.default for field in provider.credentials}
    filled = {name: value for name, value in defaults.items() if value is not None}
    filled.update({name: value for name, value in resolved.items() if value not in (None, "")})
    return msgspec.convert(filled, Credentials)


def _missing(provider: AnyProvider, resolved: Mapping[str, Any]) -> list[str]:
    return [
        field.label
        for field in provider.credentials
        if field.required and field.default is None and resolved.get(field.name) in (None, "")
    ]


def _finished(
    result: Result, provider: AnyProvider, resolved: Mapping[str, Any], message: AnyMessage
) -> Result:
    """Our id and our clock where the vendor gave none; and no secret in what people will read."""
    hide = _hider(provider, resolved)
    verdicts = tuple(
        msgspec.structs.replace(verdict, reason=hide(verdict.reason)) for verdict in result.verdicts
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


def _hider(provider: AnyProvider, resolved: Mapping[str, Any]) -> Any:
    names = secret_names(provider.credentials)
    secrets = [
        value
        for name, value in resolved.items()
        if name in names and isinstance(value, str) and len(value) >= 4
    ]

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    return hide


def _digest(resolved: Mapping[str, Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(dict(resolved), order="deterministic")).hexdigest()
