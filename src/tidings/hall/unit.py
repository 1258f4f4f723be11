"""One request, one unit of work: its connection, its transaction and its idempotency record.

A handler that changes something gets a transaction. The answer is held back until that transaction
has committed, together with the record kept under the request's idempotency key, so a crash leaves
both the effect and the answer, or neither.

Three options of a handler change that:

- `opt=OWN_TRANSACTIONS` for one that waits for somebody else, such as a test send: it gets no
  transaction and no connection, asks for `database` and opens short ones itself. Its idempotency
  key is held by a marker with a lease instead of by the transaction.
- `opt=SECRET_ANSWER` for one that shows keys or credentials: its answer is kept sealed.
- `opt=SHARED_TRANSACTION` for triggers: it asks for `offered` and adds the events that its answer
  promises; the accepter writes them, together with those of the requests beside it, before the
  answer is sent.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from litestar.utils.scope.state import ScopeState

from tidings.actions.accepting import Accepter, Offer
from tidings.domain.events import Event
from tidings.domain.idempotency import KEPT_FOR, LEASE, LONGEST_KEY, worth_keeping
from tidings.hall.body import read, reader
from tidings.hall.caller import Caller
from tidings.hall.errors import WireError
from tidings.storage import idempotency
from tidings.storage.database import Borrowed, Connection, Database, Transaction, begin_announcing
from tidings.storage.idempotency import Kept
from tidings.world import World

OWN_TRANSACTIONS = {"own_transactions": True}
SECRET_ANSWER = {"secret_answer": True}

SHARED_TRANSACTION = {"shared_transaction": True}

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_TRIES = 3


class Unit:
    """The database work of one request; nothing is acquired before it is asked for."""

    def __init__(self, database: Database, writes: bool, apart: bool = False) -> None:
        self._database = database
        self._writes = writes
        self._apart = apart
        self._connection: Borrowed | None = None
        self._transaction: Transaction | None = None
        self._opening = asyncio.Lock()
        self._announced: Sequence[str] = begin_announcing() if writes else ()

    async def connection(self) -> Connection:
        """The same for all who ask, also while another is still being given it."""
        assert not self._apart, "this handler opens its own transactions: ask for `database`"
        if self._connection is None:
            async with self._opening:
                await self._open()
        assert self._connection is not None
        return self._connection

    async def _open(self) -> None:
        if self._connection is not None:
            return
        if self._writes:
            self._connection, self._transaction = await self._database.begin()
        else:
            self._connection = await self._database.take()

    async def commit(self) -> None:
        await self._end(kept=True)

    async def roll_back(self) -> None:
        """End without effect; harmless after a commit."""
        await self._end(kept=False)

    async def _end(self, kept: bool) -> None:
        connection, transaction = self._connection, self._transaction
        self._connection = self._transaction = None
        if connection is None:
            return
        try:
            if transaction is not None:
                await (transaction.commit() if kept else transaction.rollback())
        finally:
            await self._database.give_back(connection)
        if kept:
            self._database.committed(self._announced)


class Offered(list[Event]):
    """The events that a request's answer promises."""


class Held:
    """An answer held back until its transaction has ended."""

    def __init__(self, scope: HTTPScope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._messages: list[Message] = []
        self.status = 0
        self.content_type: str | None = None
        self.body = b""

    async def __call__(self, message: Message) -> None:
        self._messages.append(message)
        if message["type"] == "http.response.start":
            # The framework believes that the answer has begun; a failure to commit must still
            # be able to take its place.
            ScopeState.from_scope(self._scope).response_started = False
            self.status = message["status"]
            for name, value in message["headers"]:
                if name.lower() == b"content-type":
                    self.content_type = value.decode("latin-1")
        elif message["type"] == "http.response.body":
            self.body = self.body + message["body"] if self.body else message["body"]

    async def release(self, key: str | None = None) -> None:
        for message in self._messages:
            if key is not None and message["type"] == "http.response.start":
                headers = [*message["headers"], (b"idempotency-key", key.encode("latin-1"))]
                message["headers"] = headers
            await self._send(message)


class Transactions:
    """A connection for those who read, a transaction for those who write; no idempotency keys."""

    def __init__(self, app: ASGIApp, database: Database) -> None:
        self._app = app
        self._database = database

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        if scope["method"] in _READING:
            await self._read(scope, receive, send)
        else:
            await self._write(scope, receive, send)

    async def _read(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        unit = self._begin(scope, writes=False)
        try:
            await self._app(scope, receive, send)
        finally:
            await unit.roll_back()

    async def _write(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        unit = self._begin(scope, writes=True)
        held = Held(scope, send)
        try:
            await self._app(scope, receive, held)
            if held.status < HTTPStatus.BAD_REQUEST:
                await unit.commit()
        finally:
            await unit.roll_back()
        await held.release()

    def _begin(self, scope: HTTPScope, writes: bool) -> Unit:
        unit = Unit(self._database, writes, apart=_opted(scope, OWN_TRANSACTIONS))
        scope["state"]["unit"] = unit
        return unit


class UnitOfWork(Transactions):
    """With an idempotency record beside the effect, and triggers that share a transaction."""

    def __init__(
        self,
        app: ASGIApp,
        database: Database,
        world: World,
        body_limit: int,
        accepter: Accepter,
    ) -> None:
        super().__init__(app, database)
        self._clock = world.clock
        self._sealer = world.sealer
        self._body_limit = body_limit
        self._accepter = accepter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        if scope["method"] in _READING:
            await self._read(scope, receive, send)
        elif _opted(scope, SHARED_TRANSACTION):
            await self._write_together(scope, receive, send)
        elif (key := _key(scope)) is None:
            await self._write(scope, receive, send)
        else:
            await self._write_once(scope, receive, send, key)

    async def _write_together(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        caller: Caller = scope["state"]["caller"]
        offered = scope["state"]["offered"] = Offered()
        held = Held(scope, send)
        if (key := _key(scope)) is None:
            await self._app(scope, receive, held)
            if offered and held.status < HTTPStatus.BAD_REQUEST:
                await self._accepter.accept(Offer(scope=caller.scope, events=offered))
            await held.release()
            return
        body = await read(receive, self._body_limit)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\n" + body).digest()[:16]
        await self._app(scope, reader(body), held)
        kept = None
        if worth_keeping(held.status):
            offer = Offer(
                scope=caller.scope,
                events=offered if held.status < HTTPStatus.BAD_REQUEST else (),
                digest=idempotency.digest(scope["method"], scope["path"], key),
                answer=Kept(fingerprint, held.status, held.content_type, held.body),
            )
            kept = await self._accepter.accept(offer)
        if kept is None:
            await held.release(key)
        else:
            await _replay(kept, fingerprint, key, send)

    async def _write_once(self, scope: HTTPScope, receive: Receive, send: Send, key: str) -> None:
        body = await read(receive, self._body_limit)
        once = self._try_apart if _opted(scope, OWN_TRANSACTIONS) else self._try_once
        for _ in range(_TRIES):
            if await once(scope, body, send, key):
                return
        raise _in_flight(key)

    async def _try_once(self, scope: HTTPScope, body: bytes, send: Send, key: str) -> bool:
        """Replay, refuse or run; False when another request won the key under our eyes."""
        caller: Caller = scope["state"]["caller"]
        mark = idempotency.digest(scope["method"], scope["path"], key)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\n" + body).digest()[:16]
        unit = self._begin(scope, writes=True)
        try:
            tx = await unit.connection()
            now = self._clock.now()
            ours, kept = await self._claim(tx, caller, mark, now)
            if kept is not None:
                await unit.roll_back()
                await _replay(kept, fingerprint, key, send)
                return True
            if not ours:
                raise _in_flight(key)
            held = Held(scope, send)
            await self._app(scope, reader(body), held)
            answer = Kept(fingerprint, held.status, held.content_type, held.body)
            if held.status < HTTPStatus.BAD_REQUEST:
                sealer = self._sealer if _opted(scope, SECRET_ANSWER) else None
                if not await idempotency.keep(
                    tx, caller.scope, mark, answer, now, now - KEPT_FOR, sealer
                ):
                    return False
                await unit.commit()
        finally:
            await unit.roll_back()
        if held.status >= HTTPStatus.BAD_REQUEST and worth_keeping(held.status):
            async with self._database.transaction() as tx:
                await idempotency.keep(tx, caller.scope, mark, answer, now, now - KEPT_FOR)
        await held.release(key)
        return True

    async def _try_apart(self, scope: HTTPScope, body: bytes, send: Send, key: str) -> bool:
        """The same for a handler that opens its own transactions."""
        caller: Caller = scope["state"]["caller"]
        mark = idempotency.digest(scope["method"], scope["path"], key)
        fingerprint = hashlib.sha256(scope["query_string"] + b"\n" + body).digest()[:16]
        now = self._clock.now()
        async with self._database.transaction() as tx:
            ours, kept = await self._claim(tx, caller, mark, now)
            if ours and kept is None:
                await idempotency.mark(tx, caller.scope, mark, fingerprint, now)
        if kept is not None:
            await _replay(kept, fingerprint, key, send)
            return True
        if not ours:
            raise _in_flight(key)
        held = Held(scope, send)
        self._begin(scope, writes=True)
        try:
            await self._app(scope, reader(body), held)
        finally:
            async with self._database.transaction() as tx:
                if held.status and worth_keeping(held.status):
                    answer = Kept(fingerprint, held.status, held.content_type, held.body)
                    await idempotency.keep(tx, caller.scope, mark, answer, now, now - KEPT_FOR)
                else:
                    await idempotency.unmark(tx, caller.scope, mark)
        await held.release(key)
        return True

    async def _claim(
        self, tx: Connection, caller: Caller, mark: bytes, now: datetime
    ) -> tuple[bool, Kept | None]:
        return await idempotency.claim(
            tx, caller.scope, self._sealer, mark, now - KEPT_FOR, now - LEASE
        )


def _opted(scope: HTTPScope, option: dict[str, bool]) -> bool:
    return option.items() <= scope["route_handler"].opt.items()


def _key(scope: HTTPScope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"idempotency-key" and value:
            if len(value) > LONGEST_KEY:
                raise WireError(
                    HTTPStatus.BAD_REQUEST,
                    f"idempotency-key must have at most {LONGEST_KEY} characters.",
                )
            return value.decode("latin-1")
    return None


async def _replay(kept: Kept, fingerprint: bytes, key: str, send: Send) -> None:
    if kept.fingerprint != fingerprint:
        raise WireError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "This idempotency-key was used with another body. Use a new key for a new request.",
            {"Idempotency-Key": key},
            errors={"idempotency-key": {"messages": ["was used with another body"], "value": key}},
        )
    headers = [(b"idempotency-key", key.encode("latin-1")), (b"idempotency-replay", b"true")]
    if kept.content_type is not None:
        headers.append((b"content-type", kept.content_type.encode("latin-1")))
    if kept.status != HTTPStatus.NO_CONTENT:
        headers.append((b"content-length", str(len(kept.body)).encode()))
    await send({"type": "http.response.start", "status": kept.status, "headers": headers})
    await send({"type": "http.response.body", "body": kept.body, "more_body": False})


def _in_flight(key: str) -> WireError:
    return WireError(
        HTTPStatus.CONFLICT,
        "A request with this idempotency-key is in flight. Ask again in a second.",
        {"Retry-After": "1", "Idempotency-Key": key},
    )
