"""Caught messages: find them, wait for them, remove them."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.conftest import OTHER_KEY
from tidings.domain.catching import Caught
from tidings.domain.scope import Scope
from tidings.storage import catching
from tidings.storage.database import Database
from tidings.world import World

PATH = "/v1/catcher/messages"


async def catch(database: Database, scope: Scope, world: World, **values: Any) -> str:
    id = world.ids.new()
    record = Caught(id=id, created_at=world.clock.now(), **{"channel": "email", **values})
    async with database.transaction() as tx:
        await catching.add(tx, [(scope, record)])
    return id


async def test_it_is_empty_at_first(client: httpx.AsyncClient) -> None:
    answer = await client.get(PATH)
    assert answer.json() == {"hasMore": False, "pageSize": 10, "page": 0, "data": []}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, 2),
        ({"channel": "sms"}, 1),
        ({"to": "ADA@example.com"}, 1),
        ({"subject": "weLc"}, 1),
        ({"subject": "%"}, 0),
        ({"transactionId": "t1"}, 1),
        ({"subscriberId": "ada", "channel": "email"}, 1),
        ({"subscriberId": "eve"}, 0),
    ],
)
async def test_it_is_filtered(
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    world: World,
    query: Any,
    found: int,
) -> None:
    await catch(
        database, scope, world, recipients=("ada@example.com",), subject="Welcome",
        transaction_id="t1", subscriber_key="ada",
    )  # fmt: skip
    await catch(database, scope, world, channel="sms", content="Hi", subscriber_key="bob")
    assert len((await client.get(PATH, params=query)).json()["data"]) == found


async def test_waiting_ends_when_something_comes(
    client: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    waiting = asyncio.create_task(client.get(PATH, params={"wait": 30, "subject": "code"}))
    await catch(database, scope, world, subject="Something else")
    id = await catch(database, scope, world, subject="Your code", html="<b>1234</b>")
    answer = (await waiting).json()
    assert [each["_id"] for each in answer["data"]] == [id]
    one = (await client.get(f"{PATH}/{id}")).json()
    assert (one["html"], one["to"]) == ("<b>1234</b>", [])


async def test_too_long_a_wait_is_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get(PATH, params={"wait": 31})).status_code == 422


async def test_they_are_removed_by_filter_and_all(
    client: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    await catch(database, scope, world, subject="A")
    await catch(database, scope, world, channel="sms", content="B")
    assert (await client.delete(PATH, params={"channel": "sms"})).status_code == 204
    (left,) = (await client.get(PATH)).json()["data"]
    assert left["subject"] == "A"
    elsewhere = {"Authorization": f"ApiKey {OTHER_KEY}"}
    assert (await client.get(f"{PATH}/{left['_id']}", headers=elsewhere)).status_code == 404
    assert (await client.delete(PATH, headers=elsewhere)).status_code == 204
    assert (await client.get(PATH)).json()["data"]
    assert (await client.delete(PATH)).status_code == 204
    assert (await client.get(PATH)).json()["data"] == []
