import asyncio

from tidings.hall.unit import Unit
from tidings.storage.changes import announce
from tidings.storage.database import Database


async def test_all_who_ask_at_once_get_the_same_connection(database: Database) -> None:
    """The framework finds what a handler needs side by side, and a new connection takes a while."""
    for writes in (True, False):
        unit = Unit(database, writes)
        asked = await asyncio.gather(*(unit.connection() for _ in range(5)))
        assert len(set(map(id, asked))) == 1
        assert asked[0].is_in_transaction() == writes
        await unit.roll_back()
    opened, idle = database.pool_state()
    assert opened == idle


async def test_one_who_stops_waiting_leaves_the_connection_to_the_others(
    database: Database,
) -> None:
    unit = Unit(database, writes=True)
    impatient, patient = (asyncio.create_task(unit.connection()) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    connection = await patient
    assert await connection.fetchval("SELECT 1") == 1
    await unit.commit()
    opened, idle = database.pool_state()
    assert opened == idle


async def test_who_leaves_while_it_begins_leaves_no_transaction_behind(database: Database) -> None:
    for steps in range(8):
        unit = Unit(database, writes=True)
        asking = asyncio.create_task(unit.connection())
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await unit.roll_back()
        async with database.transaction() as tx:
            assert await tx.fetchval("SELECT 1") == 1
    opened, idle = database.pool_state()
    assert opened == idle


async def test_what_is_announced_is_heard_whoever_opened_the_transaction(
    database: Database,
) -> None:
    heard: list[str] = []
    database.hearers.append(heard.append)
    unit = Unit(database, writes=True)
    connection = await asyncio.create_task(unit.connection())
    await announce(connection, "something")
    assert heard == []
    await unit.commit()
    assert heard == ["something"]
