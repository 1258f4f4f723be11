"""Removes what has outlived its use, in bounded batches."""

from datetime import timedelta

from tidings.domain.idempotency import KEPT_FOR
from tidings.storage import idempotency, workers
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
