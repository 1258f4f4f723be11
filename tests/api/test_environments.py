"""/v1/environments and the API keys under it."""

from typing import Any

import httpx
import pytest

from tidings.domain.scope import Scope
from tidings.storage.database import Database

OTHER = {"Authorization": "ApiKey test-key-of-the-production-environment"}


def by(key: str) -> dict[str, str]:
    return {"Authorization": f"ApiKey {key}"}


async def make(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    answer = await client.post("/v1/environments", json={"name": "Staging", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_lists_the_environments_of_the_organization(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/environments")
    assert answer.status_code == 200
    development, production = answer.json()
    assert [development["name"], production["name"]] == ["Development", "Production"]
    assert [development["type"], production["type"]] == ["dev", "prod"]
    assert production["_parentId"] == development["_id"]
    assert "_parentId" not in development
    assert "color" not in development
    assert "apiKeys" not in development


async def test_a_new_environment_has_its_own_key_identifier_and_in_app_integration(
    client: httpx.AsyncClient,
) -> None:
    made = await make(client, color="#1a73e8")
    [shown] = made["apiKeys"]
    mine = by(shown["key"])
    [integration] = (await client.get("/v1/integrations", headers=mine)).json()
    assert integration["_environmentId"] == made["_id"]
    assert integration["providerId"] == "svc"
    listed = (await client.get("/v1/environments", headers=mine)).json()
    assert len({one["identifier"] for one in listed}) == 3
    assert all("apiKeys" not in one for one in listed)
    assert made["type"] is None
    assert made["color"] == "#1a73e8"


async def test_the_key_in_the_answer_is_not_kept_in_the_clear(
    client: httpx.AsyncClient, database: Database
) -> None:
    headers = {"Idempotency-Key": "make-staging"}
    first = await client.post("/v1/environments", json={"name": "Staging"}, headers=headers)
    again = await client.post("/v1/environments", json={"name": "Staging"}, headers=headers)
    assert again.content == first.content
    assert again.headers["idempotency-replay"] == "true"
    key = first.json()["apiKeys"][0]["key"]
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT body, sealed_body FROM idempotency_records")
    assert [row["body"] for row in rows] == [None]
    assert key.encode() not in rows[0]["sealed_body"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"name": " "}, 422),
        ({"name": "a\0b"}, 422),
        ({"name": "Staging", "parentId": "a\0b"}, 404),
        ({"name": "x" * 65}, 422),
        ({"name": "Staging", "color": "blue"}, 422),
        ({"name": "Staging", "parentId": "0123456789abcdef01234567"}, 404),
        ({"name": "development"}, 409),
    ],
)
async def test_bad_environments(
    client: httpx.AsyncClient, body: dict[str, Any], status: int
) -> None:
    assert (await client.post("/v1/environments", json=body)).status_code == status


async def test_changes_what_is_given(client: httpx.AsyncClient, scope: Scope) -> None:
    made = await make(client)
    path = f"/v1/environments/{made['_id']}"
    change = {"name": "QA", "identifier": "qa-inbox", "parentId": scope.environment_id}
    answer = await client.put(path, json=change)
    assert answer.status_code == 200
    assert answer.json()["name"] == "QA"
    assert answer.json()["identifier"] == "qa-inbox"
    assert answer.json()["_parentId"] == scope.environment_id
    own = f"/v1/environments/{scope.environment_id}"
    taken = await client.put(own, json={"identifier": "qa-inbox"})
    assert taken.status_code == 409
    assert (await client.put(path, json={"parentId": made["_id"]})).status_code == 422


async def test_development_and_production_stay(client: httpx.AsyncClient) -> None:
    for one in (await client.get("/v1/environments")).json():
        path = f"/v1/environments/{one['_id']}"
        deleted = await client.delete(path)
        assert deleted.status_code == 400
        assert "always exist" in deleted.json()["message"]
        assert (await client.put(path, json={"name": "Renamed"})).status_code == 400
        assert (await client.put(path, json={"color": "#fff"})).status_code == 200


async def test_deletes_an_environment_with_its_keys(client: httpx.AsyncClient) -> None:
    made = await make(client)
    key = by(made["apiKeys"][0]["key"])
    path = f"/v1/environments/{made['_id']}"
    assert (await client.delete(path, headers=key)).status_code == 400
    answer = await client.delete(path)
    assert answer.status_code == 200
    assert (await client.delete(path)).status_code == 404
    assert len((await client.get("/v1/environments")).json()) == 2


async def test_keys_are_made_listed_and_revoked(client: httpx.AsyncClient) -> None:
    made = await client.post("/v1/environments/api-keys", json={"name": "Deploy"})
    assert made.status_code == 201
    secret = made.json()["key"]
    assert (await client.get("/v1/environments", headers=by(secret))).status_code == 200
    listed = (await client.get("/v1/environments/api-keys")).json()
    assert [key["name"] for key in listed] == ["First key", "Deploy"]
    assert listed[1]["key"] == f"••••••{secret[-4:]}"
    left = await client.delete(f"/v1/environments/api-keys/{made.json()['_id']}")
    assert left.status_code == 200
    assert [key["name"] for key in left.json()] == ["First key"]


async def test_the_last_key_stays(client: httpx.AsyncClient) -> None:
    [only] = (await client.get("/v1/environments/api-keys")).json()
    answer = await client.delete(f"/v1/environments/api-keys/{only['_id']}")
    assert answer.status_code == 400
    assert (await client.get("/v1/environments")).status_code == 200


async def test_keys_of_another_environment_are_not_found(client: httpx.AsyncClient) -> None:
    [mine] = (await client.get("/v1/environments/api-keys")).json()
    path = f"/v1/environments/api-keys/{mine['_id']}"
    assert (await client.delete(path, headers=OTHER)).status_code == 404
    [theirs] = (await client.get("/v1/environments/api-keys", headers=OTHER)).json()
    assert theirs["_id"] != mine["_id"]


async def test_a_key_needs_a_name_that_says_something(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/environments/api-keys", json={"name": ""})
    assert answer.status_code == 422


async def test_regenerate_replaces_the_calling_key_only(client: httpx.AsyncClient) -> None:
    other = (await client.post("/v1/environments/api-keys", json={"name": "Other"})).json()
    answer = await client.post("/v1/environments/api-keys/regenerate", headers=by(other["key"]))
    assert answer.status_code == 200
    new = answer.json()[0]
    assert new["name"] == "Other"
    assert (await client.get("/v1/environments", headers=by(new["key"]))).status_code == 200
    assert (await client.get("/v1/environments")).status_code == 200
    names = [key["name"] for key in (await client.get("/v1/environments/api-keys")).json()]
    assert names == ["First key", "Other"]
