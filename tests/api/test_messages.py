"""Listing and removing messages over HTTP."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.records import Records, at
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.hall.wire import iso
from tidings.storage.database import Database
from tidings.world import World


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


@pytest.fixture
async def workflow(records: Records) -> Workflow:
    return await records.workflow()


async def many(records: Records, workflow: Workflow, count: int, **more: Any) -> list[str]:
    person = await records.subscriber(more.pop("key", "ada"))
    return [
        await records.message("n", records.id(), workflow, person, **more) for _ in range(count)
    ]


async def ids(client: httpx.AsyncClient, query: str = "") -> list[str]:
    answer = await client.get(f"/v1/messages{query}")
    assert answer.status_code == 200, answer.text
    return [each["_id"] for each in answer.json()["data"]]


async def test_an_empty_page(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/messages")).json() == {
        "totalCount": 0,
        "hasMore": False,
        "data": [],
        "pageSize": 10,
        "page": 0,
    }


async def test_every_field_of_a_message(
    client: httpx.AsyncClient, records: Records, workflow: Workflow, scope: Scope
) -> None:
    person = await records.subscriber(email="ada@example.com")
    event = await records.event(workflow, "txn", overrides={"email": {"from": "x"}})
    notification, jobs = await records.run(workflow, person, ["completed", "completed"])
    seen_at = at(2)
    id = await records.message(
        notification,
        jobs[1],
        workflow,
        person,
        event_id=event,
        channel="email",
        step_id=workflow.steps[1].id,
        provider_id="sendgrid",
        status="error",
        error_id="mail_unexpected_error",
        error_text="refused",
        content={"html": "<p>Hi</p>", "text": "Hi"},
        subject="Hello",
        address={"email": "ada@example.com"},
        context_keys=["team:red"],
        seen=True,
        last_seen_at=seen_at,
        last_read_at=seen_at,
        snoozed_until=seen_at,
        delivered_at=[seen_at],
    )
    (message,) = (await client.get("/v1/messages")).json()["data"]
    assert message.pop("subscriber")["subscriberId"] == "ada"
    template = message.pop("template")
    assert (template["deletedAt"], template["deletedBy"]) == ("", "")
    assert template["preferenceSettings"]["sms"] is True
    assert [step["name"] for step in template["steps"]] == ["Inbox", "Mail"]
    created = message.pop("createdAt")
    assert created.endswith("Z")
    assert message == {
        "_id": id,
        "_templateId": workflow.id,
        "_environmentId": scope.environment_id,
        "_messageTemplateId": workflow.steps[1].id,
        "_organizationId": scope.organization_id,
        "_notificationId": notification,
        "_subscriberId": person,
        "templateIdentifier": "welcome",
        "deliveredAt": [iso(seen_at)],
        "lastSeenDate": iso(seen_at),
        "lastReadDate": iso(seen_at),
        "content": "<p>Hi</p>",
        "transactionId": "txn",
        "subject": "Hello",
        "channel": "email",
        "read": False,
        "seen": True,
        "snoozedUntil": iso(seen_at),
        "email": "ada@example.com",
        "providerId": "sendgrid",
        "cta": {},
        "status": "error",
        "errorId": "mail_unexpected_error",
        "errorText": "refused",
        "payload": {"n": 1},
        "overrides": {"email": {"from": "x"}},
        "contextKeys": ["team:red"],
    }


async def test_what_was_removed_since_is_left_out(
    client: httpx.AsyncClient, records: Records, workflow: Workflow
) -> None:
    await many(records, workflow, 1)
    await client.delete("/v2/workflows/welcome")
    (message,) = (await client.get("/v1/messages")).json()["data"]
    assert "template" not in message
    assert "payload" not in message


async def test_filters(client: httpx.AsyncClient, records: Records, workflow: Workflow) -> None:
    first = await many(records, workflow, 1, transaction_id="a")
    second = await many(records, workflow, 1, transaction_id="b", channel="sms", key="bob")
    third = await many(
        records, workflow, 1, transaction_id="c", context_keys=["plan:pro", "team:red"]
    )
    assert await ids(client) == [*third, *second, *first]
    assert await ids(client, "?transactionId=a&transactionId=b") == [*second, *first]
    assert await ids(client, "?transactionId[]=a") == first
    assert await ids(client, "?channel=sms") == second
    assert await ids(client, "?subscriberId=ada") == [*third, *first]
    assert await ids(client, "?subscriberId=ada&transactionId=b") == []
    assert await ids(client, "?subscriberId=nobody") == []
    assert await ids(client, "?contextKeys=team:red&contextKeys=plan:pro") == third
    assert await ids(client, "?contextKeys=team:red") == []


async def test_pages(client: httpx.AsyncClient, records: Records, workflow: Workflow) -> None:
    made = (await many(records, workflow, 5))[::-1]
    answer = (await client.get("/v1/messages?limit=2.0&page=1.0")).json()
    assert [each["_id"] for each in answer["data"]] == made[2:4]
    assert (answer["hasMore"], answer["totalCount"]) == (True, 5)
    assert (answer["page"], answer["pageSize"]) == (1, 2)
    last = (await client.get("/v1/messages?limit=1&page=4")).json()
    assert (last["hasMore"], last["totalCount"]) == (False, 5)
    beyond = (await client.get("/v1/messages?limit=5&page=1")).json()
    assert (beyond["data"], beyond["hasMore"], beyond["totalCount"]) == ([], False, 5)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=1001", "limit=1.5", "page=-1", "page=1000&limit=1000", "channel=fax",
     "before=soon", "after=2026-01-02&before=2026-01-01"],
)  # fmt: skip
async def test_what_cannot_be_asked(client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"/v1/messages?{query}")).status_code == 422


async def test_removing_one(
    client: httpx.AsyncClient, records: Records, workflow: Workflow
) -> None:
    first, second = await many(records, workflow, 2)
    answer = await client.delete(f"/v1/messages/{first}")
    assert (answer.status_code, answer.json()) == (
        200,
        {"acknowledged": True, "status": "deleted"},
    )
    assert (await client.delete(f"/v1/messages/{first}")).status_code == 404
    assert (await client.delete("/v1/messages/nonsense")).status_code == 404
    assert await ids(client) == [second]


async def test_removing_those_of_a_transaction(
    client: httpx.AsyncClient, records: Records, workflow: Workflow
) -> None:
    await many(records, workflow, 2, transaction_id="a", channel="sms")
    left = await many(records, workflow, 1, transaction_id="a", channel="email")
    assert (await client.delete("/v1/messages/transaction/a?channel=sms")).status_code == 204
    assert await ids(client) == left
    assert (await client.delete("/v1/messages/transaction/a")).status_code == 204
    assert (await client.delete("/v1/messages/transaction/a")).status_code == 404


async def test_another_environment_sees_nothing(
    client: httpx.AsyncClient, database: Database, other_scope: Scope, world: World
) -> None:
    others = Records(database, other_scope, world)
    (id,) = await many(others, await others.workflow(), 1)
    assert await ids(client) == []
    assert (await client.delete(f"/v1/messages/{id}")).status_code == 404


async def test_a_span_of_time(
    client: httpx.AsyncClient, records: Records, workflow: Workflow
) -> None:
    made = [(await many(records, workflow, 1, created_at=at(day)))[0] for day in (1, 2, 3)]
    between = f"?after={iso(at(2))}&before={iso(at(3) - timedelta(seconds=1))}"
    assert await ids(client, between) == [made[1]]
