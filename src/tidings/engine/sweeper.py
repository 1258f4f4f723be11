"""Makes certain what wake-ups make prompt: runs out timers and takes back what was left behind."""

from collections.abc import Sequence
from datetime import timedelta

from tidings.engine.fan_out import FanOut
from tidings.engine.runner import Runner
from tidings.storage import inbox, inbox_changes, runs, workers
from tidings.storage.database import Connection
from tidings.storage.inbox import Redelivered
from tidings.storage.inbox_changes import Change

DUE_AT_ONCE = 500
WORKER_GONE_AFTER = timedelta(seconds=12)


class Sweeper:
    def __init__(self, runner: Runner, fan_out: FanOut) -> None:
        self._runner = runner
        self._fan_out = fan_out

    async def run_out_timers(self) -> int:
        """Go on with every run whose time has come; how many there were."""
        total = 0
        while True:
            async with self._runner.database.transaction() as tx:
                now = self._runner.world.clock.now()
                due = await runs.claim_due(tx, self._runner.worker_id, now, DUE_AT_ONCE)
                sends = await self._runner.resume(tx, due) if due else []
            if not due:
                return total
            await self._fan_out.send(sends)
            total += len(due)

    async def end_snoozes(self) -> int:
        """Deliver again what was snoozed until now; how many messages there were."""
        total = 0
        while True:
            async with self._runner.database.transaction() as tx:
                now = self._runner.world.clock.now()
                due = await inbox.end_snoozes(tx, now, DUE_AT_ONCE)
                await _announce(tx, due)
            total += len(due)
            if len(due) < DUE_AT_ONCE:
                return total

    async def take_back(self) -> int:
        """Take over the work of workers that are gone, and fan out what no wake-up announced."""
        now = self._runner.world.clock.now()
        async with self._runner.database.transaction() as tx:
            alive = await workers.alive(tx, now - WORKER_GONE_AFTER)
            left = await runs.take_over(
                tx, self._runner.worker_id, [*alive, self._runner.worker_id]
            )
            sends = await self._runner.resume(tx, left) if left else []
            waiting = await runs.waiting(tx)
        await self._fan_out.send(sends)
        if waiting:
            await self._fan_out.drain()
        return len(left)


async def _announce(tx: Connection, messages: Sequence[Redelivered]) -> None:
    received: dict[str, list[Change]] = {}
    for each in messages:
        change = Change(each.subscriber_id, "received", each.message_id)
        received.setdefault(each.environment_id, []).append(change)
    for environment_id, changes in received.items():
        await inbox_changes.announce(tx, environment_id, changes)
