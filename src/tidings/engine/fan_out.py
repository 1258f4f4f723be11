"""From an accepted event to a run for each recipient, in sets and in flat memory.

Named recipients are resolved at once. Topics and broadcasts are split into ranges of subscriber ids
that any worker takes; how far the split has come is stored, so a restart continues.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec

from tidings import log
from tidings.domain import subscribers as rules
from tidings.domain.events import Event
from tidings.domain.integrations import IN_APP_PROVIDER
from tidings.domain.notifications import SEVERITIES, Job, Notification
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile, Subscriber
from tidings.domain.workflows import Definition
from tidings.engine.blueprint import NOBODY, Blueprint
from tidings.engine.deciding import Need
from tidings.engine.run import Run
from tidings.engine.runner import Runner
from tidings.storage import audiences, preferences, runs, subscribers
from tidings.storage.database import AWAY, TROUBLE, Connection
from tidings.storage.runs import Taken

EVENTS_AT_ONCE = 100
RECIPIENTS_AT_ONCE = 250
PARTS_AT_ONCE = 20
SENDS_IN_FLIGHT = 5000

_AGAIN_SECONDS = 1.0
_log = log.get("engine")


class Recipient(msgspec.Struct, frozen=True):
    taken: Taken
    subscriber: Subscriber
    said: dict[str, Any] = {}
    topics: tuple[dict[str, str], ...] = ()


class FanOut:
    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._database = runner.database
        self._in_flight = 0
        self._sending: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Lock()
        self._wanted = False
        """Whether somebody waits to begin, who will see everything that is there by now."""

    async def drain(self) -> None:
        """Take everything that waits, until nothing does. Of several that ask while another is at
        it, one goes on for all."""
        if self._wanted:
            return
        self._wanted = True
        try:
            await self._draining.acquire()
        finally:
            self._wanted = False
        try:
            while await self._take_events() or await self._take_part():
                pass
        finally:
            self._draining.release()

    async def settle(self) -> None:
        """Wait for the sends that are under way."""
        while self._sending:
            await asyncio.gather(*self._sending, return_exceptions=True)

    async def _take_events(self) -> bool:
        """A set of events; one that cannot be fanned out does not hold up the others."""
        try:
            return await self._fan_out_events(EVENTS_AT_ONCE)
        except AWAY:
            raise
        except Exception:
            return await self._fan_out_events(1, alone=True)

    async def _fan_out_events(self, limit: int, *, alone: bool = False) -> bool:
        """Take events and fan them out, in one transaction: whatever happens, both or neither."""
        async with self._database.transaction() as tx:
            found = await runs.take_events(tx, limit)
            batch = _batch(found)
            if len(found) == EVENTS_AT_ONCE:
                await self._runner.wake(tx, 1)  # there may be more than we can do at once
            sends: list[Need] = []
            try:
                async with tx.transaction() if alone else nullcontext():
                    sends = await self._serve(tx, batch)
            except Exception as error:
                if not alone or isinstance(error, AWAY):
                    raise
                _log.error("event_failed", event_id=batch[0].event.id, exc_info=error)
                await runs.finish_events(tx, [batch[0].event.id], "failed")
        await self.send(sends)
        return bool(batch)

    async def _serve(self, tx: Connection, batch: Sequence[Taken]) -> list[Need]:
        fresh = [each for each in batch if each.cursor is None]
        sends = await self._start(tx, await self._named(tx, fresh))
        small = [each.event.id for each in batch if not _is_large(each.event)]
        if small:
            await runs.finish_events(tx, small)
        for each in batch:
            if _is_large(each.event):
                await self._split(tx, each)
        return sends

    async def _split(self, tx: Connection, taken: Taken) -> None:
        """Leave everyone whom the event does not name in ranges for any worker to take."""
        event, scope = taken.event, taken.scope
        topics = None if event.recipients.everyone else event.recipients.topics
        cursor = taken.cursor or ""
        parts: list[tuple[str, str, str]] = []
        live = await runs.lock_live(tx, [event.id])
        while live and len(parts) < PARTS_AT_ONCE:
            upper = await audiences.upper_bound(tx, scope, topics, cursor, RECIPIENTS_AT_ONCE)
            if upper is None:
                break
            parts.append((self._runner.world.ids.new(), cursor, upper))
            cursor = upper
        await runs.add_parts(tx, event.id, parts, cursor)
        await self._runner.wake(tx, len(parts))
        if len(parts) < PARTS_AT_ONCE:
            await runs.finish_events(tx, [event.id])

    async def _take_part(self) -> bool:
        async with self._database.transaction() as tx:
            taken = await runs.take_part(tx)
            if taken is None or taken.part_id is None:
                return False
            sends = await self._start(tx, await self._in_range(tx, taken))
            await runs.finish_part(tx, taken.part_id)
        await self.send(sends)
        return True

    async def _named(self, tx: Connection, batch: Sequence[Taken]) -> list[Recipient]:
        """Make or change the subscribers that the events name, and load them."""
        found: list[Recipient] = []
        by_scope: dict[Scope, list[tuple[Taken, dict[str, Any]]]] = {}
        for taken in batch:
            for said in _once_each(taken.event):
                by_scope.setdefault(taken.scope, []).append((taken, said))
        for scope, wanted in by_scope.items():
            people = await self._people(tx, scope, [said for _, said in wanted])
            found += [
                Recipient(taken, people[said["subscriberId"]], said)
                for taken, said in wanted
                if said["subscriberId"] in people
            ]
        return found

    async def _people(
        self, tx: Connection, scope: Scope, wanted: Sequence[dict[str, Any]]
    ) -> dict[str, Subscriber]:
        keys = sorted({said["subscriberId"] for said in wanted})
        known = await subscribers.by_keys(tx, scope, keys)
        profiles = rules.once_each(
            _profile(said) for said in wanted if len(said) > 1 or said["subscriberId"] not in known
        )
        if not profiles:
            return known
        world = self._runner.world
        ids = [world.ids.new() for _ in profiles]
        await subscribers.put_many(tx, scope, ids, profiles, world.clock.now())
        return await subscribers.by_keys(tx, scope, keys)

    async def _in_range(self, tx: Connection, taken: Taken) -> list[Recipient]:
        event, scope = taken.event, taken.scope
        lower, upper = taken.lower, taken.upper
        if event.recipients.everyone:
            members = await audiences.everyone(tx, scope, lower, upper)
        else:
            without = [said["subscriberId"] for said in event.recipients.subscribers]
            if event.actor is not None:
                without.append(event.actor["subscriberId"])
            topics = event.recipients.topics
            members = await audiences.members(tx, scope, topics, lower, upper, without)
        people = await subscribers.by_ids(tx, [member.subscriber_id for member in members])
        return [
            Recipient(taken, people[member.subscriber_id], {}, member.topics)
            for member in members
            if member.subscriber_id in people
        ]

    async def _start(self, tx: Connection, recipients: Sequence[Recipient]) -> list[Need]:
        """Runs for the recipients, as far as they go without the outside."""
        workflow_ids = list({each.taken.event.workflow_id for each in recipients})
        people = [each.subscriber.id for each in recipients]
        chosen = await preferences.chosen_by(tx, people, workflow_ids) if recipients else {}
        catalog = self._runner.catalog
        started = []
        for each in recipients:
            event, scope = each.taken.event, each.taken.scope
            blueprint = await catalog.blueprint(
                tx, scope, event.workflow_id, event.workflow_version
            )
            if blueprint is None:
                continue
            notification = self._notification(each, blueprint)
            started.append(
                Run(
                    scope=scope,
                    event=event,
                    notification=notification,
                    blueprint=blueprint,
                    surroundings=await catalog.surroundings(tx, scope),
                    subscriber=each.subscriber,
                    chosen=chosen.get(each.subscriber.id, NOBODY),
                    jobs=self._jobs(notification, blueprint.definition),
                    world=self._runner.world,
                    fresh=True,
                )
            )
        return await self._runner.advance(tx, started) if started else []

    def _notification(self, recipient: Recipient, blueprint: Blueprint) -> Notification:
        event, definition = recipient.taken.event, blueprint.definition
        asked = event.overrides.get("severity")
        return Notification(
            id=self._runner.world.ids.new(),
            event_id=event.id,
            transaction_id=event.transaction_id,
            workflow_id=event.workflow_id,
            workflow_version=event.workflow_version,
            subscriber_id=recipient.subscriber.id,
            recipient=recipient.said or {"subscriberId": recipient.subscriber.key},
            channels=blueprint.channels,
            tags=blueprint.tags,
            topics=recipient.topics,
            severity=asked if asked in SEVERITIES else definition.severity,
            critical=definition.preferences.critical,
            context_keys=tuple(
                f"{kind}:{value['id'] if isinstance(value, dict) else value}"
                for kind, value in event.context.items()
            ),
            created_at=self._runner.world.clock.now(),
        )

    def _jobs(self, notification: Notification, definition: Definition) -> list[Job]:
        return [
            Job(
                id=self._runner.world.ids.new(),
                notification_id=notification.id,
                position=position,
                step_id=step.id,
                type=step.type,
                status="pending",
                provider_id=IN_APP_PROVIDER if step.type == "in_app" else None,
                updated_at=notification.created_at,
            )
            for position, step in enumerate(definition.steps)
        ]

    async def send(self, sends: list[Need]) -> None:
        """Deliver in the background, so that a slow provider holds up only its own messages; waits
        when very many are under way."""
        if not sends:
            return
        while self._sending and self._in_flight >= SENDS_IN_FLIGHT:
            await asyncio.wait(self._sending, return_when=asyncio.FIRST_COMPLETED)
        self._in_flight += len(sends)
        task = asyncio.create_task(self._deliver(sends))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _deliver(self, sends: list[Need]) -> None:
        try:
            await self._runner.deliver(sends)
        except Exception as error:
            _log.warning("delivery_interrupted", reason=str(error) or type(error).__name__)
            await self._let_go([need.run.notification.id for need in sends])
        finally:
            self._in_flight -= len(sends)

    async def _let_go(self, notification_ids: list[str]) -> None:
        """Give up jobs whose result could not be saved, as soon as the database can be told; then
        somebody takes them over and sends again under the same id."""
        while True:
            try:
                async with self._database.connection() as connection:
                    await runs.let_go(connection, self._runner.worker_id, notification_ids)
                    return
            except TROUBLE:
                await asyncio.sleep(_AGAIN_SECONDS)


def _is_large(event: Event) -> bool:
    return bool(event.recipients.topics) or event.recipients.everyone


def _once_each(event: Event) -> Iterable[dict[str, Any]]:
    """The last definition of a recipient counts."""
    return {said["subscriberId"]: said for said in event.recipients.subscribers}.values()


def _profile(said: dict[str, Any]) -> Profile:
    return Profile(
        key=said["subscriberId"],
        first_name=said.get("firstName"),
        last_name=said.get("lastName"),
        email=said.get("email"),
        phone=said.get("phone"),
        avatar=said.get("avatar"),
        locale=said.get("locale"),
        timezone=said.get("timezone"),
        data=said.get("data"),
    )


def _batch(found: Sequence[Taken]) -> list[Taken]:
    """As many of the events as make up a set of recipients."""
    batch: list[Taken] = []
    count = 0
    for each in found:
        count += len(each.event.recipients.subscribers)
        if batch and count > RECIPIENTS_AT_ONCE:
            break
        batch.append(each)
    return batch
