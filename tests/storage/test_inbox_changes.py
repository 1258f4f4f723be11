import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.waiting import until_async
from tidings.storage import inbox_changes, presence
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.storage.inbox_changes import CHANNEL, Change
from tidings.world import World

ids = st.text("0123456789abcdef", min_size=24, max_size=24)
received = st.builds(Change, ids, st.just("received"), ids)
changed = st.builds(Change, ids, st.just("changed"))


class Ear:
    """Everything one process hears."""

    def __init__(self, database: Database) -> None:
        self.heard: list[Change] = []
        self.payloads = 0
        self.misses = 0
        self.listener = Listener(database)

    async def start(self) -> None:
        await self.listener.start()
        await self.listener.hear(CHANNEL, self._hear, self._miss)

    def _hear(self, payload: str) -> None:
        self.payloads += 1
        self.heard += inbox_changes.read(payload)

    def _miss(self) -> None:
        self.misses += 1

    async def has_heard(self, count: int) -> None:
        async def enough() -> bool:
            return len(self.heard) >= count

        await until_async(enough)


@pytest.fixture
async def ear(database: Database) -> AsyncIterator[Ear]:
    ear = Ear(database)
    await ear.start()
    yield ear
    await ear.listener.stop()


async def _enter(database: Database, world: World) -> None:
    async with database.transaction() as tx:
        await presence.enter(tx, "one", world.clock.now())


@given(ids, st.lists(received | changed, min_size=1, max_size=400, unique=True))
def test_payloads_fit_and_are_read_as_they_were_written(
    environment: str, changes: list[Change]
) -> None:
    payloads = list(inbox_changes.payloads(environment, changes))
    assert all(len(payload.encode()) < 8000 for payload in payloads)
    assert {inbox_changes.environment_of(payload) for payload in payloads} == {environment}
    assert [change for payload in payloads for change in inbox_changes.read(payload)] == changes


async def test_a_large_set_is_heard_whole_in_few_payloads_and_only_after_the_commit(
    database: Database, world: World, ear: Ear
) -> None:
    await _enter(database, world)
    changes = [Change(world.ids.new(), "received", world.ids.new()) for _ in range(500)]
    async with database.transaction() as tx:
        await inbox_changes.announce(tx, "0" * 24, changes)
        assert not ear.heard
    await ear.has_heard(500)
    assert ear.heard == changes
    assert ear.payloads <= 4


async def test_nothing_is_announced_while_no_inbox_is_connected(
    database: Database, world: World, ear: Ear
) -> None:
    async with database.transaction() as tx:
        await inbox_changes.announce(tx, "0" * 24, [Change(world.ids.new(), "changed")])
    await _enter(database, world)
    last = Change(world.ids.new(), "changed")
    async with database.transaction() as tx:
        await inbox_changes.announce(tx, "0" * 24, [last])
    await ear.has_heard(1)
    assert ear.heard == [last]


async def test_entering_waits_for_those_who_found_nobody(database: Database, world: World) -> None:
    """What they wrote is visible to whoever counts after entering."""
    async with database.transaction() as tx:
        await inbox_changes.announce(tx, "0" * 24, [Change(world.ids.new(), "changed")])
        entering = asyncio.create_task(_enter(database, world))

        async def waits() -> bool:
            async with database.connection() as connection:
                found: bool = await connection.fetchval(
                    "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted "
                    "AND relation = 'inbox_processes'::regclass)"
                )
                return found

        await until_async(waits)
        assert not entering.done()
    await entering


async def test_a_lost_connection_says_that_something_may_have_been_missed(
    database: Database, ear: Ear
) -> None:
    connection: asyncpg.Connection[asyncpg.Record] = await database.connect()
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    await connection.close()

    async def came_back() -> bool:
        return ear.misses == 1

    await until_async(came_back)
