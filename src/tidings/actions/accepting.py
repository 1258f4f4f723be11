"""Accepts triggers: those that arrive together are written together, and answered after that.

One task takes whatever is waiting, writes the events, the answers to be kept under idempotency keys
and a wake-up in a single transaction, commits, and lets everybody go. What arrives meanwhile is
the next batch. So the price of a commit is shared by all who wait for it, and one caller alone
waits for nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime

import msgspec

from tidings import log
from tidings.domain.events import Event
from tidings.domain.idempotency import KEPT_FOR
from tidings.domain.scope import Scope
from tidings.storage import events, idempotency
from tidings.storage.catalog import Catalog
from tidings.storage.database import AWAY, Connection, Database
from tidings.storage.idempotency import Kept, Record
from tidings.world import World

EVENTS = "events"
"""The topic of the wake-up that says: there are events to fan out."""

_LARGEST_BATCH = 200
_NOTE_SECONDS = 1.0
_log = log.get("accepting")

Wake = Callable[[Connection, str, bytes], Awaitable[None]]
"""Leaves a wake-up in a transaction: (connection, topic, payload)."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What one request wants written before it is answered."""

    scope: Scope
    events: Sequence[Event] = ()
    digest: bytes | None = None
    """Of its idempotency key; with the answer to be kept under it."""
    answer: Kept | None = None

    @property
    def record(self) -> Record | None:
        if self.digest is None or self.answer is None:
            return None
        return Record(self.scope.environment_id, self.digest, self.answer)


class _Waiting(msgspec.Struct, frozen=True):
    offer: Offer
    outcome: asyncio.Future[Kept | None]


class Accepter:
    def __init__(
        self,
        database: Database,
        world: World,
        catalog: Catalog,
        wake: Wake,
        nudge: Callable[[], None] | None = None,
    ) -> None:
        """`nudge` tells an engine in the same process, when something is written. Without one, a
        wake-up tells those in others; an engine with more than it can do at once calls them itself.
        """
        self.database = database
        self.catalog = catalog
        self.wake = wake
        self._nudge = nudge
        self._clock = world.clock
        self._waiting: list[_Waiting] = []
        self._flushing: asyncio.Task[None] | None = None
        self._triggered: dict[str, datetime] = {}
        self._noting: asyncio.Task[None] | None = None

    async def accept(self, offer: Offer) -> Kept | None:
        """Returns when the offer is durable: None, or the answer that its key already had, in
        which case nothing of it was written."""
        outcome: asyncio.Future[Kept | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(offer, outcome))
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        return await outcome

    async def close(self) -> None:
        """Finish what is in hand, and write down when workflows were last triggered."""
        if self._flushing is not None:
            await self._flushing
        if self._noting is not None:
            self._noting.cancel()
            with suppress(asyncio.CancelledError):
                await self._noting
        await self.note_triggered()

    async def note_triggered(self) -> None:
        noted, self._triggered = self._triggered, {}
        if not noted:
            return
        try:
            async with self.database.connection() as connection:
                await events.note_triggered(connection, noted)
        except Exception as error:
            _log.warning("last_trigger_not_noted", reason=str(error) or type(error).__name__)

    async def _flush(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:_LARGEST_BATCH]
                del self._waiting[:_LARGEST_BATCH]
                await self._settle(batch)
        finally:
            self._flushing = None

    async def _settle(self, batch: list[_Waiting]) -> None:
        """Answer a whole batch. One that the database refuses is repeated one by one, so that only
        those fail whose own rows are at fault."""
        try:
            outcomes = await self._write([each.offer for each in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, AWAY):
                for each in batch:
                    await self._settle([each])
                return
            for each in batch:
                if not each.outcome.done():
                    each.outcome.set_exception(error)
            return
        for each, outcome in zip(batch, outcomes, strict=True):
            if not each.outcome.done():  # a caller may have left
                each.outcome.set_result(outcome)

    async def _write(self, offers: Sequence[Offer]) -> list[Kept | None]:
        now = self._clock.now()
        async with self.database.transaction() as tx:
            outcomes = await self._keep(tx, offers, now)
            new = [
                (offer.scope, event)
                for offer, outcome in zip(offers, outcomes, strict=True)
                if outcome is None
                for event in offer.events
            ]
            written = bool(new) and await events.add_many(tx, new)
            if written and self._nudge is None:
                await self.wake(tx, EVENTS, b"")
        if written and self._nudge is not None:
            self._nudge()
        self._note(new)
        return outcomes

    async def _keep(
        self, tx: Connection, offers: Sequence[Offer], now: datetime
    ) -> list[Kept | None]:
        """For each offer the answer that its key has already: one kept earlier, or the one of an
        offer before it in this batch."""
        first: dict[tuple[str, bytes], int] = {}
        for place, offer in enumerate(offers):
            if (record := offer.record) is not None:
                first.setdefault(record.key, place)
        records = [record for place in first.values() if (record := offers[place].record)]
        earlier = await idempotency.keep_many(tx, records, now, now - KEPT_FOR) if records else {}
        outcomes: list[Kept | None] = []
        for place, offer in enumerate(offers):
            record = offer.record
            if record is None:
                outcomes.append(None)
            elif record.key in earlier or first[record.key] == place:
                outcomes.append(earlier.get(record.key))
            else:
                outcomes.append(offers[first[record.key]].answer)
        return outcomes

    def _note(self, accepted: Sequence[tuple[Scope, Event]]) -> None:
        for _, event in accepted:
            self._triggered[event.workflow_id] = event.created_at
        if accepted and self._noting is None:
            self._noting = asyncio.create_task(self._note_soon())

    async def _note_soon(self) -> None:
        """A busy workflow's row is written once a second, not once per trigger."""
        await asyncio.sleep(_NOTE_SECONDS)
        self._noting = None
        await self.note_triggered()
