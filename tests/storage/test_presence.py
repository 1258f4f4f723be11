import asyncio
from datetime import timedelta
from typing import Any

from tidings.actions import subscribers as actions
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile, Subscriber
from tidings.storage import presence, subscribers
from tidings.storage.database import Database
from tidings.world import World


async def _somebody(database: Database, scope: Scope, world: World, key: str = "ada") -> str:
    async with database.transaction() as tx:
        return (
            await subscribers.put(tx, scope, world.ids.new(), Profile(key=key), world.clock.now())
        ).id


async def _found(database: Database, scope: Scope, key: str = "ada") -> Subscriber:
    async with database.connection() as connection:
        return await subscribers.get(connection, scope, key)


async def _do(database: Database, verb: Any, *arguments: Any) -> Any:
    async with database.transaction() as tx:
        return await verb(tx, *arguments)


async def test_a_subscriber_is_online_while_any_process_holds_an_inbox(
    database: Database, scope: Scope, world: World
) -> None:
    id, now = await _somebody(database, scope, world), world.clock.now()
    assert (await _found(database, scope)).is_online is None
    for process in ("one", "two"):
        await _do(database, presence.enter, process, now)
        await _do(database, presence.come, process, [id])
    assert (await _found(database, scope)).is_online is True
    await _do(database, presence.go, "one", [id], now)
    assert (await _found(database, scope)).is_online is True
    await _do(database, presence.leave, "two", now)
    found = await _found(database, scope)
    assert found.is_online is False
    assert found.last_online_at == now


async def test_two_processes_that_lose_a_subscriber_together_leave_it_offline(
    database: Database, scope: Scope, world: World
) -> None:
    id, now = await _somebody(database, scope, world), world.clock.now()
    for _ in range(10):
        for process in ("one", "two"):
            await _do(database, presence.enter, process, now)
            await _do(database, presence.come, process, [id])
        await asyncio.gather(
            _do(database, presence.go, "one", [id], now),
            _do(database, presence.leave, "two", now),
        )
        assert (await _found(database, scope)).is_online is False


async def test_the_silent_are_found_and_what_they_held_goes_with_them(
    database: Database, scope: Scope, world: World
) -> None:
    id, now = await _somebody(database, scope, world), world.clock.now()
    died = now - timedelta(minutes=1)
    await _do(database, presence.enter, "dead", died)
    await _do(database, presence.come, "dead", [id])
    await _do(database, presence.enter, "alive", now)
    found = await _do(database, presence.dead, now - timedelta(seconds=15))
    assert found == [("dead", died)]
    await _do(database, presence.leave, "dead", died)
    person = await _found(database, scope)
    assert (person.is_online, person.last_online_at) == (False, died)
    assert await _do(database, presence.beat, "dead", now) is False
    assert await _do(database, presence.beat, "alive", now) is True


async def test_a_subscriber_that_was_removed_meanwhile_is_passed_over(
    database: Database, scope: Scope, world: World
) -> None:
    id, now = await _somebody(database, scope, world), world.clock.now()
    await _do(database, presence.enter, "one", now)
    await _do(database, presence.come, "one", [id])
    async with database.transaction() as tx:
        await actions.remove(tx, scope, world, "ada")
    await _do(database, presence.come, "one", [id])
    await _do(database, presence.go, "one", [id], now)
