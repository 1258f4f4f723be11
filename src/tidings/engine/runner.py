"""Carries runs forward, in sets: decide, save in one transaction, send with none open, and again.

A job is saved as running before its message goes out and gets its result after. A run that needs
nothing from outside is written once, finished.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings import log
from tidings.dialect import Dialect
from tidings.domain.integrations import IN_APP_PROVIDER
from tidings.domain.messages import Message
from tidings.domain.notifications import FINAL
from tidings.domain.scope import Scope
from tidings.engine import deciding, delivery, holding, queue, receipts
from tidings.engine.blueprint import NOBODY
from tidings.engine.calling_off import CalledOff
from tidings.engine.catalog import Catalog
from tidings.engine.deciding import Need
from tidings.engine.delivery import Courier
from tidings.engine.outgoing import message_of
from tidings.engine.run import Run
from tidings.engine.targets import Target
from tidings.providers.delivery import Network
from tidings.steps.outcomes import Collect, Limit, Send
from tidings.storage import (
    catching,
    credentials,
    inbox_changes,
    paces,
    preferences,
    runs,
    sent,
    subscribers,
    windows,
)
from tidings.storage.database import AWAY, Connection, Database
from tidings.storage.windows import Group, Opening, Taking
from tidings.world import World

_MOST_EVENTS = 1000
_HELPERS = 4
_log = log.get("engine")


class Runner:
    def __init__(
        self,
        database: Database,
        world: World,
        dialect: Dialect,
        catalog: Catalog,
        network: Network,
        called_off: CalledOff,
        worker_id: str,
    ) -> None:
        self.database = database
        self.world = world
        self.catalog = catalog
        self.worker_id = worker_id
        self._dialect = dialect
        self._called_off = called_off
        self._courier = Courier(network, world, called_off, self._take_turn)

    def share_with(self, processes: int) -> None:
        """So many engine processes send at the same time, this one included."""
        self._courier.gates.share_with(processes)

    async def _take_turn(self, integration_id: str, rate: float) -> float:
        """For a message that nobody foresaw; how many seconds it has to wait. With the database
        away it goes at once: better early than not at all."""
        now = self.world.clock.now()
        try:
            async with self.database.transaction() as tx:
                free = await paces.take(tx, {integration_id: 1}, {integration_id: rate}, now)
        except AWAY:
            return 0.0
        return max(0.0, 1 - free.get(integration_id, 1.0)) / rate

    async def wake(self, tx: Connection, count: int) -> None:
        """Call other workers to help with that many ranges."""
        for _ in range(min(count, _HELPERS)):
            await queue.wake(tx, queue.EVENTS)

    async def resume(self, tx: Connection, notification_ids: Sequence[str]) -> list[Need]:
        """Go on with runs that this transaction claimed; what is to be sent after the commit."""
        return await self.advance(tx, await self.load(tx, notification_ids))

    async def deliver(self, sends: list[Need]) -> None:
        """Send what is to be sent, save the results, and go on until every run waits or ends."""
        while sends:
            await self._courier.deliver(sends)
            delivered = list(dict.fromkeys(need.run for need in sends))
            for run in delivered:
                run.wait_together(self.world.clock.now())
            async with self.database.transaction() as tx:
                sends = await self.advance(tx, delivered)
                await self._remove_dead_tokens(tx)

    async def advance(self, tx: Connection, found: Sequence[Run]) -> list[Need]:
        """Decide as far as possible, save, and tell what is to be sent after the commit."""
        now = self.world.clock.now()
        heard = self._called_off.heard
        live = await runs.lock_live(tx, {run.event.id for run in found})
        for run in found:
            run.live_as_of = heard
            if run.event.id not in live:
                _cancel(run, now)
        sends = await self._settle(tx, [run for run in found if run.event.id in live], now)
        for need in sends:
            _start(need, now)
            need.run.leaving.clear()
        await self._save(tx, found, now)
        return sends

    async def load(self, tx: Connection, notification_ids: Sequence[str]) -> list[Run]:
        """Runs as they are stored, with what they need from elsewhere in a few set queries. A run
        whose subscriber or workflow is gone is ended."""
        stored = await runs.load(tx, notification_ids)
        people = await subscribers.by_ids(tx, [each.notification.subscriber_id for each in stored])
        chosen = await preferences.chosen_by(
            tx, list(people), list({each.notification.workflow_id for each in stored})
        )
        found = []
        for each in stored:
            notification = each.notification
            blueprint = await self.catalog.blueprint(
                tx, each.scope, notification.workflow_id, notification.workflow_version
            )
            person = people.get(notification.subscriber_id)
            if blueprint is None or person is None:
                await self._orphaned(tx, each)
                continue
            run = Run(
                scope=each.scope,
                event=each.event,
                notification=notification,
                blueprint=blueprint,
                surroundings=await self.catalog.surroundings(tx, each.scope),
                subscriber=person,
                chosen=chosen.get(person.id, NOBODY),
                jobs=list(each.jobs),
                world=self.world,
                fresh=False,
            )
            found.append(run)
        await self._load_digests(tx, found)
        return found

    async def _orphaned(self, tx: Connection, stored: runs.Saved) -> None:
        now = self.world.clock.now()
        ended = [
            msgspec.structs.replace(job, status="canceled", updated_at=now)
            for job in stored.jobs
            if job.status not in FINAL
        ]
        await runs.change_jobs(tx, ended, self.worker_id)

    async def _load_digests(self, tx: Connection, found: Iterable[Run]) -> None:
        digests = {
            job.id: run
            for run in found
            for job in run.jobs
            if job.type == "digest" and job.status == "completed"
        }
        await self._gather(tx, digests)

    async def _gather(self, tx: Connection, digests: dict[str, Run]) -> None:
        if digests:
            for id, events in (await windows.gathered(tx, list(digests), _MOST_EVENTS)).items():
                digests[id].events_of[id] = [msgspec.to_builtins(event) for event in events]

    async def _settle(self, tx: Connection, found: Sequence[Run], now: datetime) -> list[Need]:
        """Walk all runs until each waits, is finished, or has something to send."""
        sends: list[Need] = []
        walking = list(found)
        while walking:
            needs = [need for run in dict.fromkeys(walking) for need in self._walk(run, now)]
            walking = []
            collects, limits, closes, leaving = [], [], [], []
            for need in needs:
                if isinstance(need.outcome, Collect):
                    collects.append(need)
                elif isinstance(need.outcome, Limit):
                    limits.append(need)
                elif need.outcome is None:
                    closes.append(need)
                elif need.run.jobs[need.position].type == "in_app":
                    _post(need, now)
                    need.run.leaving.discard(need.position)
                    walking.append(need.run)
                else:
                    leaving.append(need)
            leaving, stopped = await holding.suppress(tx, leaving, now)
            sends += await holding.pace(tx, leaving, self.world.limits, now)
            walking += stopped
            walking += await self._collect(tx, collects, now)
            walking += await self._limit(tx, limits, now)
            walking += await self._close(tx, closes, now)
        return sends

    def _walk(self, run: Run, now: datetime) -> Iterator[Need]:
        """A fault in one run ends that run's step, not the set it is in."""
        try:
            yield from deciding.walk(run, now, self._dialect)
        except Exception as error:
            position = run.next_position()
            if position is None:
                raise
            _log.error("run_failed", notification_id=run.notification.id, exc_info=error)
            detail = "The step could not be carried out because of a fault of the service"
            deciding.fail(run, position, now, detail, reason="fault")
            run.end_rest(position, now, "canceled", "An earlier step failed", reason="halted")

    async def _collect(self, tx: Connection, needs: list[Need], now: datetime) -> list[Run]:
        """Join or open digests; the runs that pass a look-back digest at once."""
        groups = _grouped(needs)
        passing = await self._look_back(tx, groups, now)
        openings = [
            Opening(
                group=group,
                environment_id=first.run.scope.environment_id,
                job_id=first.run.jobs[first.position].id,
                due_at=_collected(first).until,
                events=len(members),
            )
            for group, members in sorted(groups.items(), key=_in_order)
            if members
            for first in members[:1]
        ]
        masters = await windows.join(tx, openings, now) if openings else {}
        inside = {
            need.run.jobs[need.position].id: need.run.notification.id
            for members in groups.values()
            for need in members
        }
        outside = [master for master in masters.values() if master not in inside]
        notifications = {**await runs.notifications_of(tx, outside), **inside}
        for group, members in groups.items():
            for need in members:
                _digest(need, masters[group], notifications, now)
        return [_pass(need, now) for need in passing]

    async def _look_back(
        self, tx: Connection, groups: dict[Group, list[Need]], now: datetime
    ) -> list[Need]:
        """Take those out of the groups that come first after a quiet time."""
        asked = {
            group: since
            for group, members in sorted(groups.items(), key=_in_order)
            if (since := _collected(members[0]).look_back_from) is not None
        }
        if not asked:
            return []
        openings = [
            Opening(
                group=group,
                environment_id=groups[group][0].run.scope.environment_id,
                job_id="",
                due_at=now,
                events=0,
            )
            for group in asked
        ]
        busy = await windows.seen_since(tx, openings, list(asked.values()), now)
        return [groups[group].pop(0) for group in asked if group not in busy]

    async def _limit(self, tx: Connection, needs: list[Need], now: datetime) -> list[Run]:
        groups = _grouped(needs)
        takings = [
            Taking(
                group=group,
                environment_id=members[0].run.scope.environment_id,
                runs=len(members),
                ends_at=_limited(members[0]).ends_at,
            )
            for group, members in sorted(groups.items(), key=_in_order)
        ]
        taken = await windows.take(tx, takings, now) if takings else {}
        for group, members in groups.items():
            for number, need in enumerate(members, taken[group].before + 1):
                _throttle(need, taken[group], number, now)
        return [need.run for need in needs]

    async def _close(self, tx: Connection, needs: list[Need], now: datetime) -> list[Run]:
        """The time of these digests has come: gather their events and go on."""
        if not needs:
            return []
        by_job = {need.run.jobs[need.position].id: need for need in needs}
        await windows.close(tx, list(by_job))
        counts = await windows.counts(tx, list(by_job))
        await self._gather(tx, {id: need.run for id, need in by_job.items()})
        for id, need in by_job.items():
            count = counts.get(id, 1)
            need.run.change(
                need.position, now, "completed", due_at=None, output={"eventCount": count}
            )
            need.run.prove(
                need.position,
                now,
                "Success",
                "Digest triggered events",
                reason="digest",
                raw={"eventCount": count},
            )
        return [need.run for need in needs]

    async def _save(self, tx: Connection, found: Sequence[Run], now: datetime) -> None:
        fresh = [run for run in found if run.fresh]
        known = [run for run in found if not run.fresh]
        if fresh:
            await runs.add_notifications(tx, [(run.scope, run.notification) for run in fresh], now)
            await runs.add_jobs(
                tx, [(run.scope, job) for run in fresh for job in run.jobs], self.worker_id
            )
            posted = [(run.scope, message) for run in fresh for message in run.messages]
            if posted:
                await sent.copy(tx, posted)
        if known:
            changed = [run.jobs[position] for run in known for position in sorted(run.changed)]
            if changed:
                await runs.change_jobs(tx, changed, self.worker_id)
            await self._save_sent(tx, known, now)
        caught = [(run.scope, each) for run in found for each in run.caught]
        if caught:
            await catching.add(tx, caught)
        merged = {run.notification.id: run.digested_into for run in found if run.digested_into}
        if merged:
            await runs.digest_into(tx, merged, now)
        await inbox_changes.announce_received(
            tx, ((run.scope, message) for run in found for message in run.messages)
        )
        for run in found:
            run.fresh = False
            run.changed.clear()
            run.messages.clear()
            run.caught.clear()

    async def _save_sent(self, tx: Connection, found: Sequence[Run], now: datetime) -> None:
        """One message per job and target, that of the last attempt."""
        last = {message.id: (run, message) for run in found for message in run.messages}
        first: list[tuple[Scope, Message]] = []
        again: list[tuple[Scope, Message]] = []
        for run, message in last.values():
            tried = message.job_id in run.tried_before
            (again if tried else first).append((run.scope, message))
        if first:
            await sent.add(tx, first)
        if again:
            await sent.replace(tx, again)
        await receipts.expect(tx, (*first, *again), now)

    async def _remove_dead_tokens(self, tx: Connection) -> None:
        dead, self._courier.dead_tokens = self._courier.dead_tokens, []
        for run, integration_id, token in dead:
            await credentials.remove_token(tx, run.subscriber.id, integration_id, token)


def _in_order(item: tuple[Group, list[Need]]) -> tuple[str, ...]:
    group = item[0]
    return group.subscriber_id, group.workflow_id, group.step_id, group.value


def _grouped(needs: Iterable[Need]) -> dict[Group, list[Need]]:
    groups: dict[Group, list[Need]] = {}
    for need in needs:
        outcome = need.outcome
        assert isinstance(outcome, Collect | Limit)
        notification = need.run.notification
        group = Group(
            notification.subscriber_id,
            notification.workflow_id,
            need.run.jobs[need.position].step_id,
            outcome.value,
        )
        groups.setdefault(group, []).append(need)
    return groups


def _collected(need: Need) -> Collect:
    assert isinstance(need.outcome, Collect)
    return need.outcome


def _limited(need: Need) -> Limit:
    assert isinstance(need.outcome, Limit)
    return need.outcome


def _digest(need: Need, master: str, notifications: dict[str, str], now: datetime) -> None:
    """Carry the digest, or go into it with everything that follows."""
    run, position, outcome = need.run, need.position, _collected(need)
    job = run.jobs[position]
    metadata = outcome.metadata or None
    if job.id == master:
        run.change(position, now, "delayed", due_at=outcome.until, digest=metadata)
        run.prove(
            position, now, "Pending", "Step digested", reason="digest", raw={"until": outcome.until}
        )
        return
    run.change(position, now, "merged", merged_into=master, digest=metadata)
    run.prove(
        position,
        now,
        "Success",
        "Digest was merged with other digest",
        reason="digest",
        raw={"digest": master, "value": outcome.value},
    )
    run.digested_into = notifications.get(master)
    for later in range(position + 1, len(run.jobs)):
        run.change(later, now, "merged")
        run.prove(later, now, "Success", "Digest was merged with other digest", reason="digest")


def _pass(need: Need, now: datetime) -> Run:
    """The first event after a quiet time goes through a look-back digest at once."""
    run, position = need.run, need.position
    job = run.change(
        position,
        now,
        "skipped",
        output={"eventCount": 1},
        digest=_collected(need).metadata or None,
    )
    run.events_of[job.id] = [
        {"id": job.id, "time": run.notification.created_at, "payload": run.event.payload}
    ]
    run.prove(position, now, "Success", "Digest was skipped, first backoff event", reason="digest")
    return run


def _throttle(need: Need, taken: windows.Taken, number: int, now: datetime) -> None:
    run, position, outcome = need.run, need.position, _limited(need)
    said: dict[str, Any] = {
        "throttled": number > outcome.threshold,
        "executionCount": number,
        "threshold": outcome.threshold,
        "windowStart": taken.started_at,
        "throttledUntil": taken.ends_at,
    }
    if not said["throttled"]:
        run.change(position, now, "completed", output=said)
        run.prove(position, now, "Success", "Step completed", reason="throttle", raw=said)
        return
    run.change(position, now, "skipped", output=said)
    run.prove(position, now, "Success", "Throttle limit exceeded", reason="throttle", raw=said)
    run.end_rest(position, now, "skipped", "The run was throttled", reason="throttle")


def _post(need: Need, now: datetime) -> None:
    """An in-app message is delivered by being there."""
    run, position = need.run, need.position
    integrations = run.surroundings.integrations
    integration = next((each for each in integrations if each.channel == "in_app"), None)
    if integration is None:
        detail = "Subscriber does not have an active integration"
        deciding.fail(run, position, now, detail, reason="integration")
        return
    content = delivery.rendered(run, position, now)
    if content is None:
        return
    run.messages.append(message_of(run, position, Target(), content, now, integration))
    run.change(position, now, "completed", provider_id=IN_APP_PROVIDER)
    run.prove(position, now, "Pending", "Message created", reason="message")
    run.prove(position, now, "Success", "Message sent", reason="provider")


def _start(need: Need, now: datetime) -> None:
    """The job is on its way to a provider."""
    job = need.run.jobs[need.position]
    assert isinstance(need.outcome, Send)
    again = job.status == "running"
    if again or job.attempts or job.state:
        need.run.tried_before.add(job.id)
    need.run.change(need.position, now, "running", due_at=None)
    text = "Sending the message again" if again else "Start sending message"
    need.run.prove(need.position, now, "Pending", text, reason="message", is_retry=again)


def _cancel(run: Run, now: datetime) -> None:
    for position, job in enumerate(run.jobs):
        if job.status not in FINAL:
            run.change(position, now, "canceled", due_at=None)
            run.prove(position, now, "Success", "The trigger was canceled", reason="canceled")
