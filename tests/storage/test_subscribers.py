"""Subscribers under several writers at once, and how they are counted."""

import asyncio

import pytest

from tests.seeds import add_integration
from tidings.actions import credentials, subscribers, subscriptions
from tidings.domain.errors import NotFoundError
from tidings.domain.paging import MOST_COUNTED, Asked
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.domain.topics import Wanted
from tidings.storage import subscribers as stored
from tidings.storage.database import Database
from tidings.world import World


async def create(database: Database, scope: Scope, world: World, profile: Profile) -> str:
    async with database.transaction() as tx:
        return (await subscribers.create_or_update(tx, scope, world, profile)).id


async def test_creating_one_key_at_once_makes_one_row(
    database: Database, scope: Scope, world: World
) -> None:
    ids = await asyncio.gather(
        *(create(database, scope, world, Profile(key="u", phone=str(n))) for n in range(8))
    )
    assert len(set(ids)) == 1
    async with database.connection() as connection:
        found = await stored.get(connection, scope, "u")
        assert found.version == 7
        assert await stored.count(connection, scope) == 1


async def test_only_one_of_several_creations_finds_nothing_there(
    database: Database, scope: Scope, world: World
) -> None:
    async def first() -> bool:
        async with database.transaction() as tx:
            _, is_new = await subscribers.create(tx, scope, world, Profile(key="u"))
            return is_new

    assert sorted(await asyncio.gather(*(first() for _ in range(6)))) == [False] * 5 + [True]


async def test_credentials_of_different_providers_do_not_overwrite_each_other(
    database: Database, scope: Scope, world: World
) -> None:
    providers = ["fcm", "apns", "expo", "one-signal", "pushpad"]
    for provider in providers:
        await add_integration(database, scope, provider)
    await create(database, scope, world, Profile(key="u"))

    async def set_one(provider: str) -> None:
        async with database.transaction() as tx:
            await credentials.update(
                tx, scope, world, "u", provider, None, {"deviceTokens": [provider]}, unite=False
            )

    await asyncio.gather(*(set_one(provider) for provider in providers))
    async with database.transaction() as tx:
        entries = await stored.lock_channels(tx, scope, "u")
        found = await stored.get(tx, scope, "u")
    assert {each.provider_id: each.credentials for each in entries} == {
        provider: {"deviceTokens": [provider]} for provider in providers
    }
    assert found.version == len(providers)


async def test_overlapping_sets_in_any_order_all_arrive(
    database: Database, scope: Scope, world: World
) -> None:
    profiles = [Profile(key=f"u{n}", first_name="x") for n in range(50)]

    async def put(order: list[Profile]) -> None:
        async with database.transaction() as tx:
            await subscribers.create_or_update_many(tx, scope, world, order)

    await asyncio.gather(*(put(profiles if n % 2 else profiles[::-1]) for n in range(6)))
    async with database.connection() as connection:
        assert await stored.count(connection, scope) == 50


async def test_saying_the_same_again_is_no_new_version(
    database: Database, scope: Scope, world: World
) -> None:
    profile = Profile(key="u", first_name="Ada", data={"a": 1})
    await create(database, scope, world, profile)
    await create(database, scope, world, profile)
    async with database.connection() as connection:
        found = await stored.get(connection, scope, "u")
    assert found.version == 0
    assert found.updated_at == found.created_at


async def test_environments_are_counted_apart_and_removal_counts(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    for key in "abc":
        await create(database, scope, world, Profile(key=key))
    await create(database, other_scope, world, Profile(key="a"))
    async with database.transaction() as tx:
        await stored.remove(tx, scope, "a")
    async with database.connection() as connection:
        assert await stored.count(connection, scope) == 2
        assert await stored.count(connection, other_scope) == 1
        with pytest.raises(NotFoundError):
            await stored.get(connection, scope, "a")


async def test_counting_stops_at_the_cap(database: Database, scope: Scope) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO subscribers (id, organization_id, environment_id, key, email, created_at, "
            "updated_at) SELECT lpad(to_hex(n), 24, '0'), $1, $2, n, 'a@x.io', now(), now() "
            "FROM generate_series(1, $3::int) AS n",
            scope.organization_id,
            scope.environment_id,
            MOST_COUNTED + 1,
        )
        for filters in ({}, {"email": "a@x.io"}):
            page = await stored.page(tx, scope, Asked(), filters)
            assert (page.total, page.capped) == (MOST_COUNTED, True)
        await stored.remove(tx, scope, "1")
        for filters in ({}, {"email": "a@x.io"}):
            page = await stored.page(tx, scope, Asked(), filters)
            assert (page.total, page.capped) == (MOST_COUNTED, False)


async def test_joining_a_new_topic_at_once_makes_one_topic(
    database: Database, scope: Scope, world: World
) -> None:
    keys = [f"u{n}" for n in range(6)]
    for key in keys:
        await create(database, scope, world, Profile(key=key))

    async def join(key: str) -> str:
        async with database.transaction() as tx:
            changed = await subscriptions.add(tx, scope, world, "news", [Wanted(key), Wanted("u0")])
            return changed.done[0].topic.id

    assert len(set(await asyncio.gather(*(join(key) for key in keys)))) == 1
    async with database.connection() as connection:
        joined = await connection.fetchval("SELECT count(*) FROM topic_subscriptions")
    assert joined == len(keys)


async def test_they_are_found_by_how_something_of_them_begins(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    await create(database, scope, world, Profile(key="u-1", first_name="Ada", last_name="Byron"))
    await create(database, scope, world, Profile(key="u-2", email="ada@example.com"))
    await create(database, scope, world, Profile(key="ada", phone="+331"))
    await create(database, other_scope, world, Profile(key="ada"))

    async def found(*beginnings: str, limit: int = 10) -> list[str]:
        async with database.connection() as connection:
            rows = await stored.beginning_with(connection, scope, beginnings, limit)
            return [each.key for each in rows]

    assert await found("ada") == ["ada", "u-2"]
    assert await found("ada", "Ada") == ["ada", "u-2", "u-1"]
    assert await found("ada", "Ada", limit=1) == ["ada"]
    assert await found("Ada B") == ["u-1"]
    assert await found("+33") == ["ada"]
    assert await found("%") == await found("\U0010ffff") == []


async def test_an_id_or_a_key_names_one(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    id = await create(database, scope, world, Profile(key="a/b"))
    async with database.connection() as connection:
        assert (await stored.named(connection, scope, id)).key == "a/b"
        assert (await stored.named(connection, scope, "a/b")).id == id
        with pytest.raises(NotFoundError):
            await stored.named(connection, other_scope, id)
