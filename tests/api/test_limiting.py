from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import msgspec
import pytest

from tests.conftest import API_KEY, OTHER_KEY, caller_of
from tidings.api.door import Parts
from tidings.app import open_doors
from tidings.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def limited(parts: Parts, clock: ManualClock) -> AsyncIterator[httpx.AsyncClient]:
    settings = msgspec.structs.replace(parts.settings, request_rate=2.0)
    world = msgspec.structs.replace(parts.world, clock=clock)
    changed = msgspec.structs.replace(parts, settings=settings, world=world)
    async with caller_of(open_doors(changed)) as client:
        yield client


async def test_a_key_that_calls_too_often_waits_as_told(
    limited: httpx.AsyncClient, clock: ManualClock
) -> None:
    for left in ("3", "2", "1", "0"):
        answer = await limited.get("/v1/environments")
        assert (answer.status_code, answer.headers["ratelimit-remaining"]) == (200, left)
    # Another address draws on the same allowance.
    refused = await limited.get("/v2/subscribers")
    assert refused.status_code == 429
    assert "2 times a second" in refused.json()["message"]
    clock.advance(timedelta(seconds=int(refused.headers["retry-after"])))
    assert (await limited.get("/v2/subscribers")).status_code == 200


async def test_one_key_does_not_use_up_what_another_may(limited: httpx.AsyncClient) -> None:
    answers = [await limited.get("/v1/environments") for _ in range(5)]
    assert answers[-1].status_code == 429
    other = {"Authorization": f"ApiKey {OTHER_KEY}"}
    assert (await limited.get("/v1/environments", headers=other)).status_code == 200


async def test_a_refused_request_changes_nothing_and_may_be_repeated(
    limited: httpx.AsyncClient, clock: ManualClock
) -> None:
    for _ in range(4):
        await limited.get("/v1/environments")
    headers = {"Idempotency-Key": "once", "Authorization": f"ApiKey {API_KEY}"}
    new = {"subscriberId": "late"}
    refused = await limited.post("/v2/subscribers", json=new, headers=headers)
    assert refused.status_code == 429
    clock.advance(timedelta(seconds=2))
    made = await limited.post("/v2/subscribers", json=new, headers=headers)
    assert made.status_code == 201
    assert "idempotency-replay" not in made.headers


async def test_without_the_setting_nobody_is_counted(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/environments")
    assert "ratelimit-limit" not in answer.headers
