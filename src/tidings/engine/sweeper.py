"""Makes certain what wake-ups make prompt: runs out timers and takes back what was left behind."""

from datetime import timedelta

from tidings.engine.fan_out import FanOut
from tidings.engine.runner import Runner
from tidings.storage import runs, workers

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

    async def take_back(self) -> int:
        """Take over the work of workers that are gone, and fan out what no wake-up announced."""
        now = self._runner.world.clock.now()
        async with self._runner.database.transaction() as tx:
            alive = await workers.alive(tx, now - WORKER_GONE_AFTER)
            self._runner.share_with(len({*alive, self._runner.worker_id}))
            left = await runs.take_over(
                tx, self._runner.worker_id, [*alive, self._runner.worker_id]
            )
            sends = await self._runner.resume(tx, left) if left else []
            waiting = await runs.waiting(tx)
        await self._fan_out.send(sends)
        if waiting:
            await self._fan_out.drain()
        return len(left)
