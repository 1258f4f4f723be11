"""Wake-ups for sets of work, carried by PgQueuer. The only file that knows PgQueuer.

A wake-up only says "look here": the truth is in our own tables, so a lost or doubled one does no
harm.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from importlib.metadata import version

import msgspec
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.applications import PgQueuer
from pgqueuer.domain.models import Job, Schedule

from tidings.storage import migrate
from tidings.storage.database import Connection, Database

EVENTS = "events"
"""Something waits to be fanned out."""

_PART = "pgqueuer"
_BATCH = 10


class State(msgspec.Struct, frozen=True):
    """How much is waiting, and for how long the longest has."""

    depth: int
    oldest_seconds: float


class Queue:
    """The wake-ups one process handles."""

    def __init__(self, database: Database) -> None:
        self._pgq = PgQueuer(AsyncpgPoolDriver(database.pool))

    def on(self, topic: str, handler: Callable[[bytes], Awaitable[None]]) -> None:
        @self._pgq.entrypoint(topic, accepts_context=False)
        async def handle(job: Job) -> None:
            await handler(job.payload or b"")

    def every(self, topic: str, cron: str, handler: Callable[[], Awaitable[None]]) -> None:
        """Call the handler by the clock, in one process at a time."""

        @self._pgq.schedule(topic, cron, clean_old=True, accepts_context=False)
        async def handle(schedule: Schedule) -> None:
            await handler()

    async def run(self, lease: timedelta = timedelta(seconds=30)) -> None:
        """Handle wake-ups until stopped; returns when those in hand are finished."""
        await self._pgq.run(
            batch_size=_BATCH, heartbeat_timeout=lease, shutdown_on_listener_failure=True
        )

    def stop(self) -> None:
        self._pgq.shutdown.set()


async def wake(
    connection: Connection, topic: str, payload: bytes = b"", after: timedelta | None = None
) -> None:
    """Leave a wake-up in the caller's transaction; it is heard when that commits."""
    await Queries(AsyncpgDriver(connection)).enqueue(topic, payload, execute_after=after)  # type: ignore[arg-type]


async def install(database: Database) -> None:
    """Let PgQueuer make or upgrade its tables, once per version of it."""
    installed = version("pgqueuer")
    async with database.transaction() as connection:
        if await migrate.part_version(connection, _PART) == installed:
            return
        await migrate.lock_part(connection, _PART)
        found = await migrate.part_version(connection, _PART)
        queries = Queries(AsyncpgDriver(connection))  # type: ignore[arg-type]
        if found is None:
            await queries.install()
        elif found != installed:
            await queries.upgrade()
        await migrate.note_part(connection, _PART, installed)


async def state(connection: Connection) -> State:
    ages = await Queries(AsyncpgDriver(connection)).queue_age()  # type: ignore[arg-type]
    return State(
        depth=sum(age.queued_count for age in ages),
        oldest_seconds=max((age.oldest_age_seconds for age in ages), default=0.0),
    )
