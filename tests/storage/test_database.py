import asyncio

import asyncpg
import pytest

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
