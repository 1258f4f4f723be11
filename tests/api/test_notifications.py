"""Listing, reading, explaining and replaying triggered events over HTTP."""

import httpx
import msgspec
import pytest

from tests.records import Records, at
from tidings.domain.scope import Scope
from tidings.hall.wire import iso
from tidings.storage.database import Database
from tidings.world import World


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


async def ids(client: httpx.AsyncClient, query: str = "") -> list[str]:
    answer = await client.get(f"/v1/notifications{query}")
    assert answer.status_code == 200, answer.text
    return [each["_id"] for each in answer.json()["data"]]


async def test_an_empty_page(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/notifications")).json() == {
        "hasMore": False,
        "data": [],
        "pageSize": 10,
        "page": 0,
    }


async def test_every_field_of_a_notification(
    client: httpx.AsyncClient, records: Records, scope: Scope
) -> None:
    workflow = await records.workflow(
        payload_schema={"type": "object", "properties": {"n": {"type": "number"}}}
    )
    person = await records.subscriber(first_name="Ada", email="ada@example.com")
    event = await records.event(workflow, "txn", overrides={"email": {}})
    other = records.id()
    notification = await records.notification(
        workflow,
        person,
        event_id=event,
        topics=[{"_topicId": "t", "topicKey": "posts"}],
        severity="high",
        critical=True,
        digested_into=other,
        created_at=at(1),
    )
    detail = records.detail(
        "Message sent", is_retry=True, provider_id="sendgrid", raw={"id": "x"}, source="Webhook"
    )
    digest = {"type": "regular", "amount": 1, "unit": "hours", "events": [{"n": 1}]}
    step = workflow.steps[1]
    job = await records.job(
        notification,
        1,
        step,
        "completed",
        provider_id="sendgrid",
        details=[detail],
        digest=digest,
        updated_at=at(2),
    )
    await records.job(notification, 0, workflow.steps[0], "pending", updated_at=at(3))
    await records.job(notification, 2, workflow.steps[0], "completed", type="trigger")
    shown = (await client.get(f"/v1/notifications/{notification}")).json()
    assert shown == (await client.get("/v1/notifications")).json()["data"][0]
    first, second = shown.pop("jobs")
    assert (first["type"], first["providerId"], first["status"]) == ("in_app", "svc", "pending")
    assert second.pop("updatedAt").endswith("Z")
    template_step = second.pop("step")
    assert template_step["_id"] == step.id
    assert template_step["filters"] == []
    assert second == {
        "_id": job,
        "type": "email",
        "digest": digest,
        "executionDetails": [
            {
                "_id": detail.id,
                "createdAt": iso(detail.at),
                "status": "Success",
                "detail": "Message sent",
                "isRetry": True,
                "isTest": False,
                "providerId": "sendgrid",
                "raw": '{"id":"x"}',
                "source": "Webhook",
            }
        ],
        "overrides": {"email": {}},
        "payload": {"n": 1},
        "providerId": "sendgrid",
        "status": "completed",
    }
    assert shown == {
        "_id": notification,
        "_environmentId": scope.environment_id,
        "_organizationId": scope.organization_id,
        "_subscriberId": person,
        "transactionId": "txn",
        "_templateId": workflow.id,
        "_digestedNotificationId": other,
        "createdAt": iso(at(1)),
        "updatedAt": iso(at(3)),
        "channels": ["email", "in_app"],
        "subscriber": {
            "firstName": "Ada",
            "email": "ada@example.com",
            "subscriberId": "ada",
            "_id": person,
        },
        "template": {
            "_id": workflow.id,
            "name": "Welcome",
            "origin": "svc-cloud",
            "triggers": [
                {
                    "type": "event",
                    "identifier": "welcome",
                    "variables": [{"name": "n"}],
                    "subscriberVariables": [],
                }
            ],
        },
        "payload": {"n": 1},
        "tags": ["news"],
        "controls": {"inbox": {}, "mail": {}},
        "to": {"subscriberId": "ada"},
        "topics": [{"_topicId": "t", "topicKey": "posts"}],
        "severity": "high",
        "critical": True,
    }


async def test_the_event_stays_when_workflow_and_subscriber_are_gone(
    client: httpx.AsyncClient, records: Records
) -> None:
    workflow = await records.workflow()
    person = await records.subscriber()
    notification, _ = await records.run(workflow, person, ["completed", "failed"])
    await client.delete("/v2/workflows/welcome")
    await client.delete("/v2/subscribers/ada")
    shown = (await client.get(f"/v1/notifications/{notification}")).json()
    assert "subscriber" not in shown
    assert "template" not in shown
    assert [job["step"]["name"] for job in shown["jobs"]] == ["Inbox", "Mail"]


async def test_an_unknown_notification(
    client: httpx.AsyncClient, records: Records, database: Database, other_scope: Scope
) -> None:
    others = Records(database, other_scope, records.world)
    foreign, _ = await others.run(await others.workflow(), "s", ["pending", "pending"])
    for id in (foreign, records.id(), "nonsense"):
        for path in ("", "/explain"):
            assert (await client.get(f"/v1/notifications/{id}{path}")).status_code == 404
        assert (await client.post(f"/v1/notifications/{id}/replay")).status_code == 404
    assert await ids(client) == []


async def test_filters(client: httpx.AsyncClient, records: Records) -> None:
    chat = await records.workflow("chatty", steps=[records.step("chat", "chat")])
    mail = await records.workflow()
    ada = await records.subscriber("ada", email="ada@example.com", first_name="Ada")
    bob = await records.subscriber("bob", email="bob@example.com")
    topics = [{"_topicId": "t", "topicKey": "posts"}]
    one = await records.notification(chat, ada, "one", created_at=at(1), severity="high")
    two = await records.notification(mail, bob, "two", created_at=at(2), topics=topics)
    three = await records.notification(mail, ada, "three", created_at=at(3), severity="low")
    for query, found in [
        ("", [three, two, one]),
        ("channels=chat", [one]),
        ("channels=chat&channels=email&channels=in_app", [three, two, one]),
        ("channels=sms", []),
        ("channels=fax", []),
        (f"templates={chat.id}", [one]),
        (f"templates={chat.id}&templates={mail.id}", [three, two, one]),
        ("templates=nonsense", []),
        ("emails=bob@example.com", [two]),
        ("emails=bob@example.com&subscriberIds=ada", []),
        ("subscriberIds=ada", [three, one]),
        ("subscriberIds=ada&subscriberIds=bob", [three, two, one]),
        ("subscriberIds=nobody", []),
        ("subscriberIds=ada&channels=chat", [one]),
        ("search=Ada", [three, one]),
        ("search=nobody", []),
        ("severity=high", [one]),
        ("severity=high&severity=low", [three, one]),
        ("severity=none", [two]),
        ("transactionId=two", [two]),
        ("transactionId=nope", []),
        ("topicKey=posts", [two]),
        ("topicKey=nope", []),
        (f"after={iso(at(2))}", [three, two]),
        (f"before={iso(at(2))}", [two, one]),
        ("after=2026-03-02&before=2026-03-03T00:00:00+02:00", [two]),
    ]:
        assert await ids(client, f"?{query}") == found, query


async def test_pages_say_exactly_whether_more_follow(
    client: httpx.AsyncClient, records: Records
) -> None:
    workflow = await records.workflow()
    person = await records.subscriber()
    made = [await records.notification(workflow, person) for _ in range(4)][::-1]
    for page, more in ((0, True), (1, False), (2, False)):
        answer = (await client.get(f"/v1/notifications?limit=2&page={page}")).json()
        assert [each["_id"] for each in answer["data"]] == made[page * 2 : page * 2 + 2]
        assert answer["hasMore"] is more


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=51", "page=-1", "page=5000&limit=50", "after=yesterday",
     "after=2026-01-02&before=2026-01-01"],
)  # fmt: skip
async def test_what_cannot_be_asked(client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"/v1/notifications?{query}")).status_code == 422


async def test_an_explanation_reads_as_sentences(
    client: httpx.AsyncClient, records: Records
) -> None:
    workflow = await records.workflow()
    person = await records.subscriber()
    notification = await records.notification(workflow, person)
    sent = [records.detail("Step created", "Pending"), records.detail("Message sent")]
    await records.job(
        notification, 0, workflow.steps[0], "completed", details=sent, provider_id="svc"
    )
    why = records.detail("Subscriber is missing an email address", "Failed", reason="address")
    await records.job(notification, 1, workflow.steps[1], "canceled", details=[why])
    told = (await client.get(f"/v1/notifications/{notification}/explain")).json()
    assert told["summary"] == "welcome for ada: sent on in_app."
    assert told["workflowVersion"] >= 1
    assert [step["summary"] for step in told["steps"]] == [
        "in_app step 'inbox' was sent through svc.",
        "email step 'mail' was not sent: Subscriber is missing an email address.",
    ]
    assert [line["text"] for line in told["steps"][0]["details"]] == [
        "Step created",
        "Message sent",
    ]
    assert told["steps"][1]["details"][0]["reason"] == "address"


async def test_a_replay_revives_what_failed_and_nothing_else(
    client: httpx.AsyncClient, records: Records, database: Database
) -> None:
    workflow = await records.workflow()
    person = await records.subscriber()
    notification, jobs = await records.run(workflow, person, ["completed", "failed"])
    answer = await client.post(f"/v1/notifications/{notification}/replay")
    assert answer.status_code == 200
    assert answer.json() == {
        "jobs": [{"_jobId": jobs[1], "_notificationId": notification, "type": "email"}]
    }
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT status, due_at, attempts, details FROM jobs ORDER BY position"
        )
    assert [row["status"] for row in rows] == ["completed", "delayed"]
    assert rows[1]["due_at"] <= records.world.clock.now()
    assert msgspec.json.decode(rows[1]["details"])[-1]["detail"] == "Replay requested"
    again = await client.post(f"/v1/notifications/{notification}/replay")
    assert again.json() == {"jobs": []}
