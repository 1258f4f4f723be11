"""Triggers over HTTP: what is accepted, what is refused, and that accepted means stored."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from tests.conftest import OTHER_KEY, caller_of
from tests.doors import open_doors
from tests.records import Records, row
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.storage.database import Database
from tidings.world import World

TRIGGER = "/v1/events/trigger"


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


async def stored(database: Database) -> list[dict[str, Any]]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT * FROM events ORDER BY id")
    decoded = ("recipients", "payload", "overrides", "actor", "tenant", "context")
    return [
        {
            name: msgspec.json.decode(value) if name in decoded and value else value
            for name, value in each.items()
        }
        for each in rows
    ]


async def test_a_trigger_is_stored_before_it_is_answered(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    workflow = await records.workflow()
    answer = await client.post(
        TRIGGER,
        json={
            "name": "welcome",
            "to": "ada",
            "payload": {"n": 1},
            "overrides": {"email": {"from": "x@example.com"}},
            "transactionId": "order-7",
            "tenant": "acme",
            "actor": {"subscriberId": "bob", "firstName": "Bob"},
            "context": {"team": "red", "plan": {"id": "pro", "data": {"seats": 3}}},
        },
    )
    assert answer.status_code == 201
    assert answer.json() == {
        "acknowledged": True,
        "status": "processed",
        "transactionId": "order-7",
    }
    (event,) = await stored(database)
    assert event["workflow_id"] == workflow.id
    assert event["workflow_version"] == 1
    assert event["status"] == "accepted"
    assert event["recipients"] == {"subscribers": [{"subscriberId": "ada"}]}
    assert event["payload"] == {"n": 1}
    assert event["overrides"] == {"email": {"from": "x@example.com"}}
    assert event["actor"] == {"subscriberId": "bob", "firstName": "Bob"}
    assert event["tenant"] == {"identifier": "acme"}
    assert event["context"] == {"team": {"id": "red"}, "plan": {"id": "pro", "data": {"seats": 3}}}
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM pgqueuer") == 1


async def test_a_transaction_id_is_made_when_none_is_given(
    client: httpx.AsyncClient, records: Records
) -> None:
    await records.workflow()
    for _ in range(2):
        answer = await client.post(TRIGGER, json={"name": "welcome", "to": "ada"})
        assert answer.json()["transactionId"].startswith("txn_")


async def test_a_repeated_transaction_id_starts_nothing_and_answers_as_the_first_did(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    workflow = await records.workflow()
    sent = {"name": "welcome", "to": "ada", "transactionId": "once"}
    first = await client.post(TRIGGER, json=sent)
    again = await client.post(TRIGGER, json={**sent, "payload": {"other": True}})
    assert (again.status_code, again.content) == (first.status_code, first.content)
    await client.patch(f"/v2/workflows/{workflow.key}", json={"active": False})
    later = await client.post(TRIGGER, json=sent)
    assert (later.status_code, later.content) == (first.status_code, first.content)
    assert len(await stored(database)) == 1


async def test_the_same_transaction_id_in_another_environment_is_another_one(
    client: httpx.AsyncClient,
    parts: Parts,
    database: Database,
    other_scope: Scope,
    records: Records,
) -> None:
    await records.workflow()
    await Records(database, other_scope, records.world).workflow()
    sent = {"name": "welcome", "to": "ada", "transactionId": "once"}
    await client.post(TRIGGER, json=sent)
    async with caller_of(open_doors(parts), OTHER_KEY) as other:
        await other.post(TRIGGER, json=sent)
    assert len(await stored(database)) == 2


async def test_an_unknown_workflow(client: httpx.AsyncClient) -> None:
    answer = await client.post(TRIGGER, json={"name": "nope", "to": "ada"})
    assert answer.status_code == 422
    assert answer.json()["message"] == "workflow_not_found"
    assert "nope" in answer.json()["errors"]["name"]["messages"][0]


async def test_a_payload_that_breaks_its_schema(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    schema = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "color": {"type": "string", "default": "blue"},
        },
    }
    await records.workflow(validate_payload=True, payload_schema=schema)
    answer = await client.post(
        TRIGGER, json={"name": "welcome", "to": "ada", "payload": {"age": "old"}}
    )
    assert answer.status_code == 400
    body = answer.json()
    assert body["type"] == "PAYLOAD_VALIDATION_ERROR"
    found = {each["field"]: each for each in body["errors"]}
    assert found["name"]["message"] == "is required"
    assert found["age"]["value"] == "old"
    assert found["age"]["schemaPath"].endswith("type")
    sent = {"name": "welcome", "to": "ada", "payload": {"name": "Ada"}}
    assert (await client.post(TRIGGER, json=sent)).status_code == 201
    (event,) = await stored(database)
    assert event["payload"] == {"name": "Ada", "color": "blue"}


@pytest.mark.parametrize(
    ("fields", "steps", "status"),
    [
        ({"active": False, "status": "INACTIVE"}, None, "trigger_not_active"),
        ({}, [], "no_workflow_steps_defined"),
    ],
)
async def test_a_workflow_that_cannot_run(
    client: httpx.AsyncClient,
    database: Database,
    records: Records,
    fields: dict[str, Any],
    steps: list[Any] | None,
    status: str,
) -> None:
    await records.workflow(steps=steps, **fields)
    answer = await client.post(TRIGGER, json={"name": "welcome", "to": "ada"})
    assert (answer.status_code, answer.json()) == (201, {"acknowledged": True, "status": status})
    assert await stored(database) == []


async def test_recipients_of_every_shape(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    answer = await client.post(
        TRIGGER,
        json={
            "name": "welcome",
            "to": [
                "ada",
                {"subscriberId": "bob", "email": "old@example.com"},
                {"type": "Topic", "topicKey": "posts", "exclude": ["eve"]},
                "",
                {
                    "subscriberId": " bob ",
                    "email": "bob@example.com",
                    "phone": None,
                    "channels": [{"providerId": "novu-slack", "credentials": {"webhookUrl": "x"}}],
                    "somethingElse": 1,
                },
                "x" * 256,
            ],
        },
    )
    assert answer.json()["status"] == "processed"
    (event,) = await stored(database)
    assert event["recipients"] == {
        "subscribers": [
            {"subscriberId": "ada"},
            {
                "subscriberId": "bob",
                "email": "bob@example.com",
                "phone": None,
                "channels": [{"providerId": "svc-slack", "credentials": {"webhookUrl": "x"}}],
            },
        ],
        "topics": [{"key": "posts", "exclude": ["eve"]}],
    }


@pytest.mark.parametrize("to", ["", [], [" ", {"subscriberId": ""}]])
async def test_no_valid_recipient_is_left(
    client: httpx.AsyncClient, database: Database, records: Records, to: Any
) -> None:
    await records.workflow()
    answer = await client.post(TRIGGER, json={"name": "welcome", "to": to})
    assert answer.status_code == 201
    assert answer.json()["status"] == "invalid_recipients"
    assert await stored(database) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"to": "ada"}, "name"),
        ({"name": "welcome"}, "to"),
        ({"name": "welcome", "to": 7}, "to"),
        ({"name": "welcome", "to": [7]}, "to.0"),
        ({"name": "welcome", "to": {"subscriberId": ["a"]}}, "to.subscriberId"),
        ({"name": "welcome", "to": {"firstName": "Ada"}}, "to"),
        ({"name": "welcome", "to": [{"subscriberId": "a", "email": "no"}]}, "to.0.email"),
        ({"name": "welcome", "to": {"type": "Topic"}}, "to"),
        ({"name": "welcome", "to": ["ada"] * 101}, "to"),
        ({"name": "welcome", "to": "ada", "payload": [1]}, "payload"),
        ({"name": "welcome", "to": "ada", "payload": {"a": ["x\0"]}}, "payload"),
        ({"name": "welcome", "to": "ada", "actor": ""}, "actor.subscriberId"),
        ({"name": "welcome", "to": "ada", "tenant": {"name": "x"}}, "tenant.identifier"),
        ({"name": "welcome", "to": "ada", "transactionId": "x" * 256}, "transactionId"),
        ({"name": "welcome", "to": "ada", "context": {"a b": "1"}}, "context.a b"),
        ({"name": "welcome", "to": "ada", "context": {"a": 1}}, "context.a"),
        (
            {"name": "welcome", "to": "ada", "context": dict.fromkeys("abcdef", "1")},
            "context",
        ),
        (
            {"name": "welcome", "to": "ada", "context": {"a": {"id": "1", "data": "x" * 70000}}},
            "context.a.data",
        ),
        (
            {
                "name": "welcome",
                "to": "ada",
                "context": {"a": {"id": "1", "data": {"x": "x" * 70000}}},
            },
            "context.a.data",
        ),
    ],
)
async def test_a_wrong_shape_is_refused(
    client: httpx.AsyncClient, records: Records, body: dict[str, Any], field: str
) -> None:
    await records.workflow()
    answer = await client.post(TRIGGER, json=body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_bulk_answers_each_event_in_order(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    await records.workflow("asleep", active=False, status="INACTIVE")
    good = {"name": "welcome", "to": "ada"}
    answer = await client.post(
        f"{TRIGGER}/bulk",
        json={
            "events": [
                {**good, "transactionId": "one"},
                {"name": "nope", "to": "ada"},
                {"name": "asleep", "to": "ada"},
                {**good, "to": 7},
                {**good, "payload": {"x": "\0"}},
                {**good, "transactionId": "one"},
                {**good, "transactionId": "two"},
            ]
        },
    )
    assert answer.status_code == 201
    body = answer.json()
    assert [each["status"] for each in body] == [
        "processed",
        "error",
        "trigger_not_active",
        "error",
        "error",
        "processed",
        "processed",
    ]
    assert all(each["acknowledged"] for each in body)
    assert body[1]["error"] == ["workflow_not_found"]
    assert [event["transaction_id"] for event in await stored(database)] == ["one", "two"]


@pytest.mark.parametrize("count", [0, 101])
async def test_bulk_takes_one_to_a_hundred(client: httpx.AsyncClient, count: int) -> None:
    events = [{"name": "welcome", "to": "ada"}] * count
    answer = await client.post(f"{TRIGGER}/bulk", json={"events": events})
    assert answer.status_code == 422
    assert "events" in answer.json()["errors"]


async def test_broadcast_is_for_everyone(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    answer = await client.post(f"{TRIGGER}/broadcast", json={"name": "welcome", "payload": {}})
    assert answer.status_code == 201
    assert answer.json()["status"] == "processed"
    (event,) = await stored(database)
    assert event["recipients"] == {"everyone": True}


async def test_a_change_of_the_workflow_is_seen_by_the_next_trigger(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    await client.post(TRIGGER, json={"name": "welcome", "to": "ada"})
    changed = await client.patch("/v2/workflows/welcome", json={"description": "New"})
    assert changed.status_code == 200
    await client.post(TRIGGER, json={"name": "welcome", "to": "ada"})
    assert [event["workflow_version"] for event in await stored(database)] == [1, 2]


async def test_the_workflow_says_when_it_was_last_triggered(
    client: httpx.AsyncClient, parts: Parts, database: Database, records: Records
) -> None:
    workflow = await records.workflow()
    for _ in range(3):
        await client.post(TRIGGER, json={"name": "welcome", "to": "ada"})
    await parts.accepter.note_triggered()
    events = await stored(database)
    async with database.connection() as connection:
        noted = await row(connection, "workflows", workflow.id)
    assert noted["last_triggered_at"] == events[-1]["created_at"]


async def test_an_idempotency_key_replays_byte_for_byte(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    headers = {"Idempotency-Key": "k1"}
    sent = {"name": "welcome", "to": "ada"}
    first = await client.post(TRIGGER, json=sent, headers=headers)
    assert "idempotency-replay" not in first.headers
    assert first.headers["idempotency-key"] == "k1"
    again = await client.post(TRIGGER, json=sent, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["idempotency-replay"] == "true"
    other = await client.post(TRIGGER, json={**sent, "to": "bob"}, headers=headers)
    assert other.status_code == 422
    assert "idempotency-key" in other.json()["errors"]
    assert len(await stored(database)) == 1


async def test_a_refusal_is_replayed_too(client: httpx.AsyncClient, records: Records) -> None:
    headers = {"Idempotency-Key": "k1"}
    sent = {"name": "welcome", "to": "ada"}
    first = await client.post(TRIGGER, json=sent, headers=headers)
    await records.workflow()
    again = await client.post(TRIGGER, json=sent, headers=headers)
    assert (again.status_code, again.content) == (422, first.content)


async def test_equal_keys_at_the_same_moment_have_one_effect(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    sent = {"name": "welcome", "to": "ada"}
    answers = await asyncio.gather(
        *(client.post(TRIGGER, json=sent, headers={"Idempotency-Key": "k"}) for _ in range(20))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert [answer.headers.get("idempotency-replay") for answer in answers].count(None) == 1
    assert len(await stored(database)) == 1


async def test_triggers_at_the_same_moment_are_all_stored(
    client: httpx.AsyncClient, database: Database, records: Records
) -> None:
    await records.workflow()
    answers = await asyncio.gather(
        *(client.post(TRIGGER, json={"name": "welcome", "to": f"s{n}"}) for n in range(50))
    )
    given = {answer.json()["transactionId"] for answer in answers}
    assert given == {event["transaction_id"] for event in await stored(database)}
    assert len(given) == 50
