from datetime import timedelta

import asyncpg
import pytest

from tests.waiting import until_async
from tidings.dialect import Dialect
from tidings.domain.environments import DEVELOPMENT
from tidings.engine.sweeper import Sweeper
from tidings.engine.worker import Worker
from tidings.providers.delivery import Network
from tidings.storage import environments, workers
from tidings.storage.database import TROUBLE, Database
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
        try:
            return await alive(database, world, worker.id) == 1
        except TROUBLE:  # our own connection may be one of those
            return False

    await until_async(beats_again)
    await worker.stop(10)


async def test_a_nudge_is_enough(
    database: Database, world: World, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing_left_behind(_: Sweeper) -> int:
        return 0

    monkeypatch.setattr(Sweeper, "take_back", nothing_left_behind)
    worker = Worker(database, world, Dialect("svc"), network)
    await worker.start()
    async with database.connection() as connection:
        found = await environments.named(connection, DEVELOPMENT)
        await connection.execute(
            "INSERT INTO events (id, organization_id, environment_id, transaction_id, workflow_id, "
            "workflow_version, recipients, payload, overrides, status, created_at) VALUES "
            "($1, $2, $3, 'one', $1, 1, '{\"subscribers\": []}', '{}', '{}', 'accepted', now())",
            world.ids.new(),
            found.organization_id,
            found.id,
        )
    worker.nudge()

    async def done() -> bool:
        async with database.connection() as connection:
            return bool(await connection.fetchval("SELECT status = 'done' FROM events"))

    await until_async(done)
    await worker.stop(10)
