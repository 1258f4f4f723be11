import asyncio

import asyncpg
import pytest

from tests.waiting import DEADLINE
from tidings.storage.database import AWAY, Database, DatabaseRefusedError


async def test_an_unreachable_server_is_named_in_one_sentence() -> None:
    with pytest.raises(DatabaseRefusedError, match="Check TIDINGS_DATABASE_URL"):
        await Database.open("postgresql://nobody:x@127.0.0.1:1/none")


async def test_an_old_server_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidings.storage.database.MINIMUM_VERSION", 99)
    with pytest.raises(DatabaseRefusedError, match="needs 99 or newer"):
        await Database.open(url)


async def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError):
        async with database.transaction() as tx:
            await tx.execute("CREATE TABLE gone (a int)")
            raise RuntimeError
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT to_regclass('gone')") is None


async def test_a_lost_connection_is_recognised_and_replaced(database: Database) -> None:
    async with database.connection() as connection:
        pid = connection.get_server_pid()
        other = await database.connect()
        await other.execute("SELECT pg_terminate_backend($1)", pid)
        await other.close()
        with pytest.raises(AWAY):
            while True:
                await connection.execute("SELECT 1")
                await asyncio.sleep(0)
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_session_forgets_nothing_because_it_keeps_nothing(database: Database) -> None:
    """Giving a connection back resets nothing, so advisory locks must be those of transactions."""
    async with database.transaction() as tx:
        await tx.execute("SELECT pg_advisory_xact_lock(7)")
    other: asyncpg.Connection[asyncpg.Record] = await database.connect()
    assert await other.fetchval("SELECT pg_try_advisory_lock(7)")
    await other.close()


async def test_a_connection_goes_to_whoever_waits_the_longest(url: str) -> None:
    database = await Database.open(url, 1)
    held = await database.take()
    order: list[str] = []

    async def use(name: str) -> None:
        async with database.connection() as connection:
            assert await connection.fetchval("SELECT 1") == 1
            order.append(name)

    tasks = [asyncio.create_task(use(name)) for name in ("first", "second", "third")]
    await asyncio.sleep(0)
    assert order == []
    await database.give_back(held)
    await asyncio.gather(*tasks)
    assert order == ["first", "second", "third"]
    await database.close()


async def test_one_who_stops_waiting_takes_no_connection_along(url: str) -> None:
    database = await Database.open(url, 1)
    held = await database.take()
    impatient = asyncio.create_task(database.take())
    await asyncio.sleep(0)
    await database.give_back(held)  # it is theirs now, but they have not seen it yet
    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    async with asyncio.timeout(5), database.connection() as connection:
        assert await connection.fetchval("SELECT 1") == 1
    await database.close()


async def test_who_waits_for_a_connection_that_is_lost_gets_a_new_one(url: str) -> None:
    database = await Database.open(url, 1)
    held = await database.take()
    waiting = asyncio.create_task(database.take())
    await asyncio.sleep(0)
    held.terminate()
    await database.give_back(held)
    async with asyncio.timeout(5):
        found = await waiting
        assert await found.fetchval("SELECT 1") == 1
    await database.give_back(found)
    await database.close()


async def test_closing_waits_for_what_is_still_lent(url: str) -> None:
    database = await Database.open(url, 2)
    lent = await database.take()
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0)
    assert await lent.fetchval("SELECT 1") == 1
    assert not closing.done()
    await database.give_back(lent)
    await asyncio.wait_for(closing, DEADLINE)


async def test_closing_does_not_wait_for_one_that_never_comes_back(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = await Database.open(url, 2)
    lent = await database.take()
    monkeypatch.setattr("tidings.storage.database._PATIENCE", 0.1)
    await asyncio.wait_for(database.close(), DEADLINE)
    with pytest.raises(asyncpg.InterfaceError):
        await lent.fetchval("SELECT 1")


async def test_who_leaves_while_it_begins_leaves_no_transaction_behind(database: Database) -> None:
    async def begin() -> None:
        async with database.transaction():
            await asyncio.Event().wait()

    for steps in range(12):
        task = asyncio.create_task(begin())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with database.connection() as connection:
            assert await connection.fetchval("SELECT 1") == 1
            assert not connection.is_in_transaction()
