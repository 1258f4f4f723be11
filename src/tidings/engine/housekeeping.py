"""Removes what has outlived its use, in bounded batches."""

from datetime import datetime, timedelta

from tidings.domain.idempotency import KEPT_FOR
from tidings.storage import idempotency, retention, workers
from tidings.storage.database import Database
from tidings.world import World

HOURLY = "17 * * * *"
_DEAD_AFTER = timedelta(hours=1)


async def clean(database: Database, world: World) -> int:
    """Forget answers kept too long and workers long gone; tell how many answers went."""
    now = world.clock.now()
    removed = 0
    while True:
        async with database.connection() as connection:
            batch = await idempotency.forget(connection, now - KEPT_FOR)
        removed += batch
        if batch == 0:
            break
    async with database.connection() as connection:
        await workers.bury(connection, now - _DEAD_AFTER)
    return removed


async def forget_old(database: Database, world: World) -> dict[str, int]:
    """Remove records that have been kept long enough; how many of each kind. What is unfinished
    stays, however old it is. Every batch is a transaction of its own."""
    now, limits = world.clock.now(), world.limits
    removed = {}
    for kind, remove in retention.KINDS.items():
        kept_for = limits.in_app_kept_for if kind == retention.IN_APP else limits.kept_for
        removed[kind] = await _in_batches(database, remove, now - kept_for, now)
    return removed


async def _in_batches(
    database: Database, remove: retention.Remove, oldest: datetime, now: datetime
) -> int:
    total, cursor = 0, ""
    while True:
        async with database.transaction() as tx:
            batch = await remove(tx, oldest, now, cursor)
        total += batch.removed
        if batch.cursor is None:
            return total
        cursor = batch.cursor
