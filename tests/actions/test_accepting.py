"""Group commit: a batch stands together, and only those fail whose own rows are at fault."""

import asyncio

import asyncpg
import pytest

from tests.records import Records
from tidings.actions.accepting import Accepter, Offer
from tidings.domain.events import Event, Recipients
from tidings.domain.scope import Scope
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Connection, Database
from tidings.storage.idempotency import Kept
from tidings.world import World


class Wakes:
    def __init__(self) -> None:
        self.count = 0
        self.fails = False

    async def __call__(self, connection: Connection, topic: str, payload: bytes) -> None:
        assert connection.is_in_transaction()
        if self.fails:
            raise ConnectionResetError
        self.count += 1


@pytest.fixture
def wakes() -> Wakes:
    return Wakes()


@pytest.fixture
def accepter(database: Database, world: World, wakes: Wakes) -> Accepter:
    return Accepter(database, world, Catalog(database, Listener(database)), wakes)


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


def event(world: World, transaction_id: str) -> Event:
    return Event(
        id=world.ids.new(),
        transaction_id=transaction_id,
        workflow_id=world.ids.new(),
        workflow_version=1,
        recipients=Recipients(everyone=True),
        payload={},
        overrides={},
        created_at=world.clock.now(),
    )


async def transactions(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT transaction_id FROM events ORDER BY 1")
    return [row["transaction_id"] for row in rows]


async def test_offers_that_wait_together_share_a_wake_up(
    accepter: Accepter, database: Database, scope: Scope, world: World, wakes: Wakes
) -> None:
    names = [f"t{number:02}" for number in range(40)]
    await asyncio.gather(
        *(accepter.accept(Offer(scope=scope, events=[event(world, name)])) for name in names)
    )
    assert await transactions(database) == names
    assert wakes.count < 5
    await accepter.close()


async def test_a_bad_row_fails_alone(
    accepter: Accepter, database: Database, scope: Scope, world: World
) -> None:
    nowhere = Scope(scope.organization_id, "0" * 24)
    offers = [
        Offer(scope=scope, events=[event(world, "good")]),
        Offer(scope=nowhere, events=[event(world, "bad")]),
        Offer(scope=scope, events=[event(world, "fine")]),
    ]
    outcomes = await asyncio.gather(
        *(accepter.accept(offer) for offer in offers), return_exceptions=True
    )
    assert [outcomes[0], outcomes[2]] == [None, None]
    assert isinstance(outcomes[1], asyncpg.ForeignKeyViolationError)
    assert await transactions(database) == ["fine", "good"]
    await accepter.close()


async def test_nobody_is_told_of_success_before_the_commit(
    accepter: Accepter, database: Database, scope: Scope, world: World, wakes: Wakes
) -> None:
    wakes.fails = True
    with pytest.raises(ConnectionResetError):
        await accepter.accept(Offer(scope=scope, events=[event(world, "lost")]))
    assert await transactions(database) == []
    wakes.fails = False
    assert await accepter.accept(Offer(scope=scope, events=[event(world, "kept")])) is None
    assert await transactions(database) == ["kept"]
    await accepter.close()


async def test_a_caller_who_leaves_does_not_disturb_the_others(
    accepter: Accepter, database: Database, scope: Scope, world: World
) -> None:
    leaving = asyncio.create_task(
        accepter.accept(Offer(scope=scope, events=[event(world, "left")]))
    )
    staying = asyncio.create_task(
        accepter.accept(Offer(scope=scope, events=[event(world, "stays")]))
    )
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying is None
    assert "stays" in await transactions(database)
    await accepter.close()


async def test_equal_keys_in_two_processes_have_one_effect(
    database: Database, scope: Scope, world: World, wakes: Wakes
) -> None:
    catalog = Catalog(database, Listener(database))
    processes = [Accepter(database, world, catalog, wakes) for _ in range(4)]
    answers = [Kept(b"same", 201, "application/json", str(n).encode()) for n in range(20)]
    outcomes = await asyncio.gather(
        *(
            processes[n % 4].accept(
                Offer(
                    scope=scope,
                    events=[event(world, f"t{n}")],
                    digest=b"key",
                    answer=answer,
                )
            )
            for n, answer in enumerate(answers)
        )
    )
    assert outcomes.count(None) == 1
    winner = answers[outcomes.index(None)]
    assert {each.body for each in outcomes if each is not None} == {winner.body}
    assert await transactions(database) == [f"t{outcomes.index(None)}"]
    for process in processes:
        await process.close()


async def test_an_engine_in_the_same_process_is_nudged_when_there_is_something(
    database: Database, scope: Scope, world: World, wakes: Wakes
) -> None:
    nudges: list[str] = []
    catalog = Catalog(database, Listener(database))
    accepter = Accepter(database, world, catalog, wakes, lambda: nudges.append("nudged"))
    await accepter.accept(Offer(scope=scope))
    assert nudges == []
    await accepter.accept(Offer(scope=scope, events=[event(world, "t1")]))
    assert nudges == ["nudged"]
    await accepter.accept(Offer(scope=scope, events=[event(world, "t1")]))
    assert nudges == ["nudged"], "its transaction is there already"
    assert wakes.count == 0
    await accepter.close()
