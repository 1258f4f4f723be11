"""Operation 10, and bringing several things over at once."""

from typing import Any

import httpx
import pytest

from tests.api.workflow_examples import create, welcome
from tests.conftest import OTHER_KEY
from tidings.domain.scope import Scope
from tidings.storage.database import Database

THERE = {"Authorization": f"ApiKey {OTHER_KEY}"}


async def sync(client: httpx.AsyncClient, target: Scope, key: str = "welcome") -> dict[str, Any]:
    answer = await client.put(
        f"/v2/workflows/{key}/sync", json={"targetEnvironmentId": target.environment_id}
    )
    assert answer.status_code == 200, answer.text
    synced: dict[str, Any] = answer.json()
    return synced


async def test_sync_copies_and_then_updates_in_place(
    client: httpx.AsyncClient, other_scope: Scope
) -> None:
    made = await create(client, severity="high", description="About")
    first = await sync(client, other_scope)
    assert first["_id"] != made["_id"]
    for field in ("workflowId", "name", "description", "severity", "tags", "preferences"):
        assert first[field] == made[field]
    there = await client.get("/v2/workflows/welcome", headers=THERE)
    assert there.json() == first
    assert (await client.get("/v2/workflows/welcome")).json()["lastPublishedAt"] is not None
    steps = [{"_id": made["steps"][2]["_id"], "name": "Mail", "type": "email"}]
    await client.put(
        "/v2/workflows/welcome",
        json={
            "name": "Hello",
            "preferences": {},
            "steps": [*steps, {"name": "Text", "type": "sms", "controlValues": {"body": "B"}}],
        },
    )
    second = await sync(client, other_scope)
    assert second["_id"] == first["_id"]
    assert second["steps"][0]["_id"] == first["steps"][2]["_id"]
    assert [step["stepId"] for step in second["steps"]] == ["welcome-mail", "text"]
    assert await sync(client, other_scope) == second


async def test_the_target_decides_about_integrations(
    client: httpx.AsyncClient, database: Database, scope: Scope, other_scope: Scope
) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO integrations (id, organization_id, environment_id, name, identifier, "
            "provider_id, channel, credentials, configurations, active, is_primary, created_at, "
            "updated_at) VALUES ('i', $1, $2, 'i', 'i', 'i', 'email', '', '', true, true, now(), "
            "now())",
            other_scope.organization_id,
            other_scope.environment_id,
        )
    made = await create(client)
    assert "issues" in made["steps"][2]
    assert "issues" not in (await sync(client, other_scope))["steps"][2]


async def test_layouts_go_along(client: httpx.AsyncClient, other_scope: Scope) -> None:
    for key in ("default", "named"):
        await client.post("/v2/layouts", json={"layoutId": key, "name": key})
    mail = {"subject": "S", "body": "B", "editorType": "html"}
    steps = [
        {"name": "One", "type": "email", "controlValues": mail},
        {"name": "Two", "type": "email", "controlValues": {**mail, "layoutId": "named"}},
    ]
    await create(client, steps=steps)
    assert (await sync(client, other_scope))["status"] == "ACTIVE"
    there = (await client.get("/v2/layouts", headers=THERE)).json()["layouts"]
    assert {each["layoutId"]: each["isDefault"] for each in there} == {
        "default": True,
        "named": False,
    }


@pytest.mark.parametrize(
    ("target", "status"),
    [("own", 400), ("6615943e7ace93b0540ae377", 404), ("nonsense", 422), (None, 422)],
)
async def test_targets_that_are_none(
    client: httpx.AsyncClient, scope: Scope, target: str | None, status: int
) -> None:
    await create(client)
    id = scope.environment_id if target == "own" else target
    answer = await client.put("/v2/workflows/welcome/sync", json={"targetEnvironmentId": id})
    assert answer.status_code == status


async def test_only_workflows_made_here_can_be_synchronized(
    client: httpx.AsyncClient, database: Database, other_scope: Scope
) -> None:
    await create(client)
    async with database.transaction() as tx:
        await tx.execute("UPDATE workflows SET origin = 'external'")
    answer = await client.put(
        "/v2/workflows/welcome/sync", json={"targetEnvironmentId": other_scope.environment_id}
    )
    assert answer.status_code == 400
    assert answer.json()["ctx"]["origin"] == "external"


async def test_diff_dry_run_and_publish(client: httpx.AsyncClient, other_scope: Scope) -> None:
    target = other_scope.environment_id
    await create(client)
    await create(client, workflowId="second")
    await client.post("/v2/workflows", json=welcome(workflowId="theirs"), headers=THERE)
    dry = (await client.post(f"/v2/environments/{target}/publish", json={"dryRun": True})).json()
    assert dry["summary"] == {"resources": 3, "successful": 2, "failed": 0, "skipped": 1}
    assert (await client.get("/v2/workflows", headers=THERE)).json()["totalCount"] == 1
    chosen = {"resources": [{"resourceType": "workflow", "resourceId": "welcome"}]}
    done = (await client.post(f"/v2/environments/{target}/publish", json=chosen)).json()
    assert [each["resourceId"] for each in done["results"][0]["successful"]] == ["welcome"]
    await client.patch("/v2/workflows/welcome", json={"name": "Hello"})
    diff = (await client.post(f"/v2/environments/{target}/diff", json={})).json()
    actions = {
        each["sourceResource"]["id"]: each for each in diff["resources"] if each["sourceResource"]
    }
    assert actions["welcome"]["action"] == "modified"
    assert actions["welcome"]["changes"][0]["description"] == 'name: "Welcome" -> "Hello"'
    assert actions["second"]["action"] == "added"
    assert diff["summary"] == {"totalEntities": 3, "totalChanges": 3, "hasChanges": True}


async def test_publishing_needs_a_key_of_the_source(
    client: httpx.AsyncClient, scope: Scope, other_scope: Scope
) -> None:
    target = other_scope.environment_id
    other = {"sourceEnvironmentId": target}
    assert (await client.post(f"/v2/environments/{target}/diff", json=other)).status_code == 403
    own = await client.post(f"/v2/environments/{scope.environment_id}/diff", json={})
    assert own.status_code == 400
    unknown = {"resources": [{"resourceId": "nothing"}]}
    answer = await client.post(f"/v2/environments/{target}/publish", json=unknown)
    assert answer.status_code == 404


async def test_tags(client: httpx.AsyncClient, scope: Scope, other_scope: Scope) -> None:
    await create(client, tags=["b", "a"])
    await create(client, tags=["a"])
    answer = await client.get(f"/v2/environments/{scope.environment_id}/tags")
    assert answer.json() == [{"name": "a"}, {"name": "b"}]
    other = await client.get(f"/v2/environments/{other_scope.environment_id}/tags")
    assert other.status_code == 403
    assert (await client.get("/v2/environments/nothing/tags")).status_code == 404
