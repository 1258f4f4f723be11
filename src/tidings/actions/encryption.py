"""Changing the encryption key."""

from collections.abc import AsyncIterator

from tidings.storage import secrets
from tidings.storage.database import Database
from tidings.world import World


async def rotate(database: Database, world: World) -> AsyncIterator[tuple[str, int]]:
    """Seal everything anew with the current key, in batches that commit one by one.

    Yields the column and how many values each batch sealed. May be interrupted and run again.
    """
    async with database.transaction() as tx:
        await secrets.check_key(tx, world.sealer)
        await secrets.remember_key(tx, world.sealer, world.clock.now())
        columns = await secrets.sealed_columns(tx)
    for table, column in columns:
        while True:
            async with database.transaction() as tx:
                done = await secrets.reseal(tx, table, column, world.sealer)
            if done == 0:
                break
            yield f"{table}.{column}", done
    async with database.transaction() as tx:
        await secrets.forget_other_keys(tx, world.sealer)
