"""Every save leaves a version, and every version can be had again."""

import httpx

from tests.api.workflow_examples import create
from tidings.domain.scope import Scope
from tidings.storage import workflow_versions
from tidings.storage.database import Database


async def test_who_when_and_what(client: httpx.AsyncClient) -> None:
    await create(client)
    await client.patch("/v2/workflows/welcome", json={"name": "Hello", "tags": []})
    answer = await client.get("/v2/workflows/welcome/versions")
    assert answer.status_code == 200
    second, first = answer.json()["versions"]
    assert answer.json()["totalCount"] == 2
    assert first["changes"] == ["created"]
    assert second["changes"] == ['name: "Welcome" -> "Hello"', 'tags: ["onboarding"] -> []']
    assert second["savedBy"]["name"] == "First key"
    assert second["savedAt"] >= first["savedAt"]


async def test_restore_saves_the_old_as_the_newest(client: httpx.AsyncClient) -> None:
    made = await create(client)
    await client.put(
        "/v2/workflows/welcome", json={"name": "Empty", "steps": [], "preferences": {}}
    )
    old = await client.get("/v2/workflows/welcome/versions/1")
    assert [step["stepId"] for step in old.json()["workflow"]["steps"]] == [
        "inbox",
        "gather",
        "welcome-mail",
    ]
    restored = (await client.post("/v2/workflows/welcome/versions/1/restore")).json()
    assert restored["version"] == 3
    assert restored["name"] == "Welcome"
    assert [step["controlValues"] for step in restored["steps"]] == [
        step["controlValues"] for step in made["steps"]
    ]


async def test_unknown_version(client: httpx.AsyncClient) -> None:
    await create(client)
    assert (await client.get("/v2/workflows/welcome/versions/7")).status_code == 404
    assert (await client.post("/v2/workflows/welcome/versions/7/restore")).status_code == 404
    assert (await client.get("/v2/workflows/nothing/versions")).status_code == 404


async def test_a_run_can_load_the_structure_it_started_with(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    made = await create(client)
    await client.patch("/v2/workflows/welcome", json={"name": "Hello"})
    await client.delete("/v2/workflows/welcome")
    async with database.connection() as connection:
        version = await workflow_versions.get(connection, scope, made["_id"], 1)
    assert version.definition is not None
    assert [step.id for step in version.definition.steps] == [s["_id"] for s in made["steps"]]
