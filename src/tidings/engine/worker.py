"""One engine process: handles wake-ups and shows that it is alive."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime

from tidings import log
from tidings.dialect import Dialect
from tidings.engine import housekeeping, queue, receipts, reports
from tidings.engine.calling_off import CalledOff
from tidings.engine.catalog import Catalog
from tidings.engine.fan_out import FanOut
from tidings.engine.queue import Queue
from tidings.engine.runner import Runner
from tidings.engine.sweeper import Sweeper
from tidings.providers.delivery import Network
from tidings.storage import workers
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.world import World

HEARTBEAT_SECONDS = 3.0
TIMER_SECONDS = 1.0
RECEIPT_SECONDS = 30.0

_RESTART_SECONDS = 0.5
_log = log.get("engine")


class Worker:
    def __init__(
        self, database: Database, world: World, dialect: Dialect, network: Network
    ) -> None:
        self.id = world.ids.new()
        self._database = database
        self._world = world
        self._network = network
        self._listener = Listener(database)
        catalog = Catalog(self._listener, world.sealer)
        called_off = CalledOff(database, self._listener)
        runner = Runner(database, world, dialect, catalog, network, called_off, self.id)
        self._fan_out = FanOut(runner)
        self._sweeper = Sweeper(runner, self._fan_out)
        self._stopping = asyncio.Event()
        self._nudged = asyncio.Event()
        self._queue: Queue | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        started_at = self._world.clock.now()
        await self._beat(started_at)
        await self._listener.start()
        self._tasks = [
            asyncio.create_task(self._again(self._handle_wake_ups)),
            asyncio.create_task(self._again(self._handle_nudges)),
            asyncio.create_task(self._again(lambda: self._keep_beating(started_at))),
            asyncio.create_task(self._again(self._watch_timers)),
            asyncio.create_task(self._again(self._watch_others)),
            asyncio.create_task(self._again(self._watch_receipts)),
        ]

    def nudge(self) -> None:
        """There are events to fan out. For the same process: quicker than the wake-up, which goes
        through the database for whoever hears it first."""
        self._nudged.set()

    async def stop(self, seconds: float) -> None:
        """Finish what is in hand, give back the rest, and say goodbye."""
        self._stopping.set()
        self.nudge()
        if self._queue is not None:
            self._queue.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._fan_out.settle(), seconds)
        await self._listener.stop()
        async with self._database.connection() as connection:
            await workers.leave(connection, self.id)

    async def _again(self, work: Callable[[], Awaitable[None]]) -> None:
        """Keep work going that a lost database connection or a fault ends."""
        while not self._stopping.is_set():
            try:
                await work()
            except Exception as error:
                _log.warning("engine_interrupted", reason=str(error) or type(error).__name__)
                await self._pause(_RESTART_SECONDS)

    async def _handle_wake_ups(self) -> None:
        self._queue = Queue(self._database)
        self._queue.on(queue.EVENTS, self._drain)
        self._queue.every("housekeeping", housekeeping.HOURLY, self._clean)
        if not self._stopping.is_set():
            await self._queue.run()

    async def _handle_nudges(self) -> None:
        while True:
            await self._nudged.wait()
            self._nudged.clear()
            if self._stopping.is_set():
                return
            await self._fan_out.drain()

    async def _drain(self, _: bytes) -> None:
        await self._fan_out.drain()

    async def _watch_timers(self) -> None:
        while not self._stopping.is_set():
            await self._sweeper.run_out_timers()
            await self._sweeper.end_snoozes()
            await self._pause(TIMER_SECONDS)

    async def _watch_others(self) -> None:
        while not self._stopping.is_set():
            await self._sweeper.take_back()
            await reports.settle(self._database, self._world)
            await self._pause(HEARTBEAT_SECONDS)

    async def _watch_receipts(self) -> None:
        while not self._stopping.is_set():
            await receipts.collect(self._database, self._world, self._network)
            await self._pause(RECEIPT_SECONDS)

    async def _clean(self) -> None:
        answers = await housekeeping.clean(self._database, self._world)
        records = await housekeeping.forget_old(self._database, self._world)
        _log.info("housekeeping_done", idempotency_records=answers, **records)

    async def _keep_beating(self, started_at: datetime) -> None:
        while not self._stopping.is_set():
            await self._beat(started_at)
            await self._pause(HEARTBEAT_SECONDS)

    async def _beat(self, started_at: datetime) -> None:
        async with self._database.connection() as connection:
            await workers.beat(connection, self.id, started_at, self._world.clock.now())

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
