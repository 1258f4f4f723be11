from collections.abc import AsyncIterator

import httpx
import pytest

from tests.conftest import API_KEY, OTHER_KEY, caller_of
from tests.doors import open_doors
from tests.waiting import until_async
from tidings.actions import keys
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.storage import keys as stored_keys
from tidings.storage.database import Database
from tidings.world import World


@pytest.fixture
async def stranger(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    async with caller_of(open_doors(parts), key=None) as client:
        yield client


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, "Missing authorization header"),
        ("Bearer abc", "Invalid authentication scheme: 'Bearer'"),
        ("apikey abc", "Invalid authentication scheme: 'apikey'"),
        ("ApiKey", "Unauthorized"),
        ("ApiKey  ", "Unauthorized"),
        ("ApiKey wrong", "API key not found"),
        ("ApiKey \xff\xfe", "API key not found"),
    ],
)
async def test_without_a_good_key_nobody_passes(
    stranger: httpx.AsyncClient, header: str | None, message: str
) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    answer = await stranger.get("/v1/environments", headers=headers)  # type: ignore[arg-type]
    assert answer.status_code == 401
    assert answer.json()["message"].startswith(message)
    assert answer.headers["www-authenticate"].startswith("ApiKey")


@pytest.mark.parametrize("key", [API_KEY, OTHER_KEY])
async def test_a_good_key_passes(stranger: httpx.AsyncClient, key: str) -> None:
    answer = await stranger.get("/v1/environments", headers={"Authorization": f"ApiKey {key}"})
    assert answer.status_code == 200


async def test_a_revoked_key_is_refused_within_a_second(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    async with database.transaction() as tx:
        key, secret = await keys.create(tx, scope, world, "Short-lived")
    headers = {"Authorization": f"ApiKey {secret}"}
    assert (await stranger.get("/v1/environments", headers=headers)).status_code == 200
    async with database.transaction() as tx:
        await keys.revoke(tx, scope, world, key.id)

    async def refused() -> bool:
        return (await stranger.get("/v1/environments", headers=headers)).status_code == 401

    await until_async(refused, seconds=1)


async def test_a_known_key_costs_no_query(
    client: httpx.AsyncClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.get("/v1/environments")
    monkeypatch.setattr(stored_keys, "find_live", None)
    assert (await client.get("/v1/environments")).status_code == 200


async def test_the_last_use_is_noted(
    client: httpx.AsyncClient, parts: Parts, database: Database, scope: Scope
) -> None:
    await client.get("/v1/environments")
    await parts.key_ring.note_use()
    async with database.connection() as connection:
        (key,) = await stored_keys.all_of(connection, scope)
    assert key.last_used_at is not None


async def test_only_the_digest_of_a_key_is_stored(database: Database) -> None:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT api_keys::text FROM api_keys")
    assert len(rows) == 2
    for row in rows:
        assert API_KEY not in row[0]
        assert API_KEY.encode().hex() not in row[0]
