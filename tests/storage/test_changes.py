import asyncio

import asyncpg

from tests.waiting import until_async
from tidings.storage import changes
from tidings.storage.changes import Listener
from tidings.storage.database import Database


async def test_an_announcement_is_heard_when_it_commits(database: Database) -> None:
    listener = Listener(database)
    heard = asyncio.Event()
    await listener.start()
    listener.on("keys", heard.set)
    async with database.transaction() as tx:
        await changes.announce(tx, "keys")
        assert not heard.is_set()
    await asyncio.wait_for(heard.wait(), 5)
    await listener.stop()


async def test_a_lost_connection_forgets_everything_and_comes_back(database: Database) -> None:
    listener = Listener(database)
    forgotten = 0

    def forget() -> None:
        nonlocal forgotten
        forgotten += 1

    await listener.start()
    listener.on("keys", forget)
    assert listener.hearing
    await _cut_listeners(database)

    async def came_back() -> bool:
        return forgotten >= 2 and listener.hearing

    await until_async(came_back)
    async with database.transaction() as tx:
        await changes.announce(tx, "keys")

    async def heard() -> bool:
        return forgotten >= 3

    await until_async(heard)
    await listener.stop()


async def _cut_listeners(database: Database) -> None:
    connection: asyncpg.Connection[asyncpg.Record] = await database.connect()
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    await connection.close()
