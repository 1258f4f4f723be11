from datetime import timedelta

import asyncpg

from tests.waiting import until_async
from tidings.dialect import Dialect
from tidings.engine.worker import Worker
from tidings.providers.delivery import Network
from tidings.storage import workers
from tidings.storage.database import Database
from tidings.world import World


async def alive(database: Database, world: World, id: str | None = None) -> int:
    async with database.connection() as connection:
        since = world.clock.now() - timedelta(seconds=20)
        return await workers.seen_since(connection, since, id)


async def test_it_shows_that_it_is_alive_and_says_goodbye(
    database: Database, world: World, network: Network
) -> None:
    worker = Worker(database, world, Dialect("svc"), network)
    await worker.start()
    assert await alive(database, world, worker.id) == 1
    await worker.stop(10)
    assert await alive(database, world) == 0


async def test_it_outlives_the_loss_of_its_connections(
    database: Database, world: World, network: Network
) -> None:
    worker = Worker(database, world, Dialect("svc"), network)
    await worker.start()
    connection: asyncpg.Connection[asyncpg.Record] = await database.connect()
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await connection.execute("DELETE FROM workers")
    await connection.close()

    async def beats_again() -> bool:
        return await alive(database, world, worker.id) == 1

    await until_async(beats_again)
    await worker.stop(10)
