"""Operations 8 to 10 and their siblings."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from tests.api.workflow_examples import create, of_step, welcome
from tidings.actions import workflows as actions
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.limits import Limits
from tidings.domain.scope import Scope
from tidings.storage import connections
from tidings.storage.database import Database
from tidings.world import World


async def add_integration(
    database: Database, scope: Scope, channel: str, primary: bool = False
) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO integrations (id, organization_id, environment_id, name, identifier, "
            "provider_id, channel, credentials, configurations, active, is_primary, created_at, "
            "updated_at) VALUES ($1, $2, $3, $1, $1, $1, $1, '', '', true, $4, now(), now())",
            channel,
            scope.organization_id,
            scope.environment_id,
            primary,
        )


async def names(client: httpx.AsyncClient, query: str) -> list[str]:
    answer = await client.get(f"/v2/workflows?{query}")
    assert answer.status_code == 200, answer.text
    return [each["workflowId"] for each in answer.json()["workflows"]]


async def test_every_field_of_a_workflow(client: httpx.AsyncClient) -> None:
    made = await create(client)
    answer = await client.get("/v2/workflows/welcome")
    assert answer.status_code == 200
    assert answer.json() == made
    assert made["origin"] == "svc-cloud"
    assert made["status"] == "ACTIVE"
    assert made["slug"].startswith("welcome_wf_")
    assert made["severity"] == "none"
    assert made["preferences"]["user"] is None
    assert made["preferences"]["default"]["all"] == {"enabled": True, "readOnly": False}
    assert len(made["preferences"]["default"]["channels"]) == 5
    assert made["payloadSchema"] is None
    assert made["payloadExample"] is None
    assert made["lastTriggeredAt"] is None
    assert made["lastPublishedAt"] is None
    assert "updatedBy" not in made
    step = made["steps"][2]
    assert step["controls"]["values"] == step["controlValues"]
    assert step["controls"]["uiSchema"]["group"] == "EMAIL"
    assert step["controls"]["dataSchema"]["additionalProperties"] is False
    assert step["workflowId"] == "welcome"
    assert step["workflowDatabaseId"] == made["_id"]


async def test_is_found_by_identifier_then_id_then_slug(client: httpx.AsyncClient) -> None:
    made = await create(client)
    impostor = await create(client, workflowId=made["_id"])
    for reference, id in [
        ("welcome", made["_id"]),
        (made["slug"], made["_id"]),
        (made["_id"], impostor["_id"]),
    ]:
        assert (await client.get(f"/v2/workflows/{reference}")).json()["_id"] == id


@pytest.mark.parametrize(
    "reference", ["nothing", "6615943e7ace93b0540ae377", "x_wf_f5VFlcRWmt1PF4uV"]
)
async def test_unknown_workflow(client: httpx.AsyncClient, reference: str) -> None:
    answer = await client.get(f"/v2/workflows/{reference}")
    assert answer.status_code == 404
    assert answer.json()["ctx"] == {"workflowId": reference}


async def test_environment_of_another_key(
    client: httpx.AsyncClient, scope: Scope, other_scope: Scope
) -> None:
    await create(client)
    own = await client.get(f"/v2/workflows/welcome?environmentId={scope.environment_id}")
    assert own.status_code == 200
    other = await client.get(f"/v2/workflows/welcome?environmentId={other_scope.environment_id}")
    assert other.status_code == 403


async def test_used_identifier_gets_a_suffix(client: httpx.AsyncClient) -> None:
    await create(client)
    assert (await create(client))["workflowId"].startswith("welcome-")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": " "}, "name"),
        ({"workflowId": "a/b"}, "workflowId"),
        ({"workflowId": ""}, "workflowId"),
        ({"tags": ["t"] * 17}, "tags"),
        ({"steps": [{"name": "S", "type": "trigger"}]}, "steps.0.type"),
        ({"steps": [{"name": "S", "type": "sms", "stepId": "a b"}]}, "steps.0.stepId"),
        ({"steps": [{"name": "S", "type": "sms", "stepId": "s"}] * 2}, "steps"),
        ({"steps": [{"name": "S", "type": "sms"}] * 51}, "steps"),
        ({"payloadSchema": {"description": "x" * 70_000}}, "payloadSchema"),
        ({"payloadSchema": {"type": "nonsense"}}, "payloadSchema"),
        ({"payloadSchema": {"$ref": "http://127.0.0.1:1/schema"}}, "payloadSchema"),
        ({"description": "\0"}, "body"),
    ],
)
async def test_what_cannot_be_saved(
    client: httpx.AsyncClient, body: dict[str, Any], field: str
) -> None:
    answer = await client.post("/v2/workflows", json=welcome(**body))
    assert answer.status_code == 422, answer.text
    assert list(answer.json()["errors"]) == [field]


async def test_saves_at_once_lose_nothing(client: httpx.AsyncClient) -> None:
    made = await asyncio.gather(*(create(client) for _ in range(5)))
    assert len({each["workflowId"] for each in made}) == 5
    patches = [{"description": str(number)} for number in range(5)]
    answers = await asyncio.gather(
        *(client.patch("/v2/workflows/welcome", json=patch) for patch in patches)
    )
    assert sorted(answer.json()["version"] for answer in answers) == [2, 3, 4, 5, 6]
    versions = (await client.get("/v2/workflows/welcome/versions")).json()["versions"]
    assert len(versions) == 6


async def test_waits_beyond_the_limit_of_the_operator(
    database: Database, scope: Scope, world: World
) -> None:
    limited = msgspec.structs.replace(world, limits=Limits(longest_wait=timedelta(hours=1)))
    step = StepDraft(name="Wait", type="delay", controls={"amount": 2, "unit": "hours"})
    async with database.transaction() as tx:
        made = await actions.create(
            tx, scope, limited, "slow", Draft(active=True, steps=[step]), None
        )
    [issue] = made.steps[0].issues["amount"]
    assert issue.issue_type == "TIER_LIMIT_EXCEEDED"
    assert "at most 1 hour here" in issue.message
    assert made.status == "ERROR"


async def test_list_pages_sorts_and_filters(client: httpx.AsyncClient) -> None:
    await create(client, workflowId="a", name="Zebra", tags=["x"])
    await create(client, workflowId="b", name="apple", tags=["y"], active=False)
    await create(
        client, workflowId="c", name="Mango %_", tags=[], steps=[{"name": "S", "type": "sms"}]
    )
    assert await names(client, "") == ["c", "b", "a"]
    assert await names(client, "orderDirection=ASC") == ["a", "b", "c"]
    assert await names(client, "orderBy=name&orderDirection=ASC") == ["b", "c", "a"]
    assert await names(client, "limit=1.0&offset=1") == ["b"]
    assert await names(client, "query=APP") == ["b"]
    assert await names(client, "query=%25_") == ["c"]
    assert await names(client, "tags=x&tags=y") == ["b", "a"]
    assert await names(client, "tags[]=x") == ["a"]
    assert await names(client, "status=ERROR") == ["c"]
    assert await names(client, "status=ACTIVE&status=INACTIVE") == ["b", "a"]
    beyond = (await client.get("/v2/workflows?offset=9")).json()
    assert beyond == {"workflows": [], "totalCount": 3}


async def test_empty_list(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v2/workflows")).json() == {"workflows": [], "totalCount": 0}


@pytest.mark.parametrize("query", ["limit=101", "limit=0", "limit=1.5", "offset=-1", "status=BAD"])
async def test_wrong_queries(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/v2/workflows?{query}")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [query.split("=")[0]]


async def test_an_order_there_is_not(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v2/workflows?orderBy=tags")).status_code == 422


async def test_a_page_costs_two_questions(
    client: httpx.AsyncClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await create(client, workflowId=f"w{number}")
    asked = []
    async with database.connection() as connection:
        real = type(connection).fetch

        async def fetch(self: Any, query: str, *arguments: Any) -> Any:
            asked.append(query)
            return await real(self, query, *arguments)

        monkeypatch.setattr(type(connection), "fetch", fetch)
        await client.get("/v2/workflows")
    assert len(asked) == 2


async def test_integration_issues_follow_the_integrations(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await create(client)

    async def issues() -> list[Any]:
        workflow = (await client.get("/v2/workflows/welcome")).json()
        listed = (await client.get("/v2/workflows")).json()["workflows"][0]
        assert [s.get("issues") for s in listed["steps"]] == [
            s.get("issues") for s in workflow["steps"]
        ]
        assert workflow["status"] == "ACTIVE"
        return [
            step["issues"]["integration"][step["type"]][0]["issueType"]
            if "issues" in step
            else None
            for step in workflow["steps"]
        ]

    assert await issues() == ["INBOX_NOT_CONNECTED", None, "MISSING_INTEGRATION"]
    async with database.transaction() as tx:
        await tx.execute("UPDATE integrations SET active = false WHERE channel = 'in_app'")
    await add_integration(database, scope, "email")
    assert await issues() == ["MISSING_INTEGRATION", None, "MISSING_INTEGRATION"]
    async with database.transaction() as tx:
        await tx.execute("UPDATE integrations SET active = true")
        await tx.execute("UPDATE integrations SET is_primary = true WHERE channel = 'email'")
        await connections.note_inbox(tx, scope)
    assert await issues() == [None, None, None]


async def test_put_matches_steps_and_keeps_what_is_absent(client: httpx.AsyncClient) -> None:
    made = await create(client)
    inbox, gather, mail = made["steps"]
    answer = await client.put(
        "/v2/workflows/welcome",
        json={
            "name": "Welcome",
            "preferences": {"user": {"all": {"enabled": True, "readOnly": True}}},
            "steps": [
                {"_id": mail["_id"], "name": "Letter", "type": "email"},
                {"stepId": "inbox", "name": "Inbox", "type": "in_app", "controlValues": None},
                {"name": "Letter", "type": "sms", "controlValues": {"body": "Hi", "skip": None}},
            ],
        },
    )
    assert answer.status_code == 200, answer.text
    changed = answer.json()
    letter, emptied, added = changed["steps"]
    assert (letter["_id"], letter["stepId"]) == (mail["_id"], "welcome-mail")
    assert set(letter["controlValues"]) == set(mail["controlValues"])
    assert (emptied["_id"], emptied["controlValues"]) == (inbox["_id"], {})
    assert (added["stepId"], added["controlValues"]) == ("letter", {"body": "Hi"})
    assert gather["_id"] not in {step["_id"] for step in changed["steps"]}
    assert changed["active"] is True
    assert changed["tags"] == ["onboarding"]
    assert changed["status"] == "ERROR"
    assert changed["preferences"]["user"]["all"]["readOnly"] is True
    reset = await client.put(
        "/v2/workflows/welcome", json={"name": "W", "steps": [], "preferences": {"user": None}}
    )
    assert reset.json()["preferences"]["user"] is None
    assert "no steps" in reset.json()["issues"]["steps"]["message"]


async def test_patch_changes_only_what_is_sent(client: httpx.AsyncClient) -> None:
    made = await create(client)
    answer = await client.patch("/v2/workflows/welcome", json={"active": False})
    changed = answer.json()
    assert answer.status_code == 200
    assert (changed["active"], changed["status"], changed["version"]) == (False, "INACTIVE", 2)
    same = {"active", "status", "version", "updatedAt"}
    assert {k: v for k, v in changed.items() if k not in same} == {
        k: v for k, v in made.items() if k not in same
    }
    assert (await client.patch("/v2/workflows/welcome", json={})).json()["version"] == 2


async def test_activating_a_faulty_workflow_shows_the_error(client: httpx.AsyncClient) -> None:
    await create(client, active=False, steps=[{"name": "S", "type": "sms"}])
    answer = await client.patch("/v2/workflows/welcome", json={"active": True})
    assert answer.json()["status"] == "ERROR"


async def test_delete(client: httpx.AsyncClient) -> None:
    await create(client)
    answer = await client.delete("/v2/workflows/welcome")
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await client.delete("/v2/workflows/welcome")).status_code == 404


async def test_duplicate(client: httpx.AsyncClient) -> None:
    made = await create(client)
    answer = await client.post("/v2/workflows/welcome/duplicate", json={"name": "Second"})
    assert answer.status_code == 201
    copy = answer.json()
    assert copy["name"] == "Second"
    assert copy["status"] == "INACTIVE"
    assert copy["workflowId"] != "welcome"
    assert [step["stepId"] for step in copy["steps"]] == [s["stepId"] for s in made["steps"]]
    assert {step["_id"] for step in copy["steps"]}.isdisjoint({s["_id"] for s in made["steps"]})


async def test_payload_example_follows_the_schema(client: httpx.AsyncClient) -> None:
    schema = {
        "type": "object",
        "properties": {
            "orderId": {"type": "string", "minLength": 10},
            "count": {"type": "integer", "minimum": 3},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        },
        "$defs": {"item": {"type": "object", "properties": {"sku": {"enum": ["a", "b"]}}}},
    }
    made = await create(client, payloadSchema=schema, validatePayload=True, steps=[])
    assert made["validatePayload"] is True
    assert made["payloadExample"] == {
        "orderId": "orderIdxxx",
        "count": 3,
        "items": [{"sku": "a"}],
    }


async def test_issues_of_a_step_are_where_they_belong(client: httpx.AsyncClient) -> None:
    step = await of_step(
        client,
        "email",
        {
            "subject": "{{ payload.gone }} {{ subscriber.shoeSize }} {{ steps.later.x }}",
            "body": "{{ payload.name | truncate: 'a' }} {{ name }} {{ nothing",
            "editorType": "html",
            "layoutId": "nowhere",
            "skip": {"==": [{"var": "payload.other"}, ""]},
            "colour": "red",
        },
        payloadSchema={"type": "object", "properties": {"name": {"type": "string"}}},
    )
    controls = step["issues"]["controls"]
    assert [i["variableName"] for i in controls["subject"]] == [
        "payload.gone",
        "subscriber.shoeSize",
        "steps.later.x",
    ]
    assert {i["issueType"] for i in controls["subject"]} == {"ILLEGAL_VARIABLE_IN_CONTROL_VALUE"}
    assert controls["body"][0]["issueType"] == "ILLEGAL_VARIABLE_IN_CONTROL_VALUE"
    assert controls["layoutId"][0]["issueType"] == "MISSING_VALUE"
    assert {i["issueType"] for i in controls["skip"]} == {
        "MISSING_VALUE",
        "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
    }
    assert "is not a control of email steps" in controls["colour"][0]["message"]


async def test_definitions_of_the_schema_count(client: httpx.AsyncClient) -> None:
    schema = {
        "properties": {"item": {"$ref": "#/$defs/item"}, "next": {"$ref": "#"}},
        "$defs": {"item": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    }
    text = "{{payload.item.sku}} {{payload.item.colour}} {{payload.next.item.sku}}"
    step = await of_step(client, "sms", {"body": text}, payloadSchema=schema)
    [issue] = step["issues"]["controls"]["body"]
    assert issue["variableName"] == "payload.item.colour"


async def test_a_wrong_filter_argument(client: httpx.AsyncClient) -> None:
    step = await of_step(client, "sms", {"body": "{{ payload.name | truncate: 'a' }}"})
    [issue] = step["issues"]["controls"]["body"]
    assert issue["issueType"] == "INVALID_FILTER_ARG_IN_VARIABLE"


async def test_variables_of_later_steps_know_the_digest(client: httpx.AsyncClient) -> None:
    made = await create(client)
    schema = made["steps"][2]["variables"]
    gathered = schema["properties"]["steps"]["properties"]["gather"]["properties"]
    assert set(gathered) == {"events", "eventCount"}
    assert schema["properties"]["payload"]["properties"] == {"name": {"type": "string"}}
    assert "gather" not in made["steps"][0]["variables"]["properties"]["steps"]["properties"]


HOSTILE = [
    "{% for i in (1..100000000) %}{{ i }}{% endfor %}",
    "{{ " + "(" * 5000 + " }}",
    "{% if a %}" * 5000,
    "{{ " + "a." * 20000 + "b }}",
    "{{ payload.x " + "| append: 'x' " * 5000 + "}}",
    "{%" * 20000,
    "".join(f"{{{{ unknown{number} }}}}" for number in range(5000)),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_templates_are_reported_and_leave_the_service_well(
    client: httpx.AsyncClient, text: str
) -> None:
    step = {"name": "It", "type": "sms", "controlValues": {"body": text}}
    answer = await client.post("/v2/workflows", json=welcome(steps=[step]), timeout=10)
    assert answer.status_code == 201
    preview = await client.post("/v2/workflows/welcome/step/it/preview", json={}, timeout=10)
    assert preview.status_code == 201
    issues = preview.json()["issues"]["body"]
    assert issues
    assert len(issues) <= 25
    assert (await client.get("/v2/workflows")).status_code == 200
