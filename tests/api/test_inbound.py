"""Vendors report, with their signature; strangers are turned away."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest

from tests.conftest import caller_of
from tests.doors import open_doors
from tidings.actions import integrations as integration_actions
from tidings.api.door import Parts
from tidings.domain.integrations import Configurations
from tidings.domain.scope import Scope
from tidings.engine import reports
from tidings.storage.database import Database
from tidings.world import World

SECRET = "a-long-random-text"
ADDRESS = "ada@example.com"


@pytest.fixture
async def stranger(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody without a key."""
    async with caller_of(open_doors(parts), None) as client:
        yield client


async def integration(
    database: Database, scope: Scope, world: World, enabled: bool = True, key: str = SECRET
) -> str:
    async with database.transaction() as tx:
        made = await integration_actions.create(
            tx,
            scope,
            world,
            integration_actions.NewIntegration(
                provider_id="postmark",
                active=True,
                credentials={"apiKey": "k", "from": "a@example.com"},
                configurations=Configurations(
                    inbound_webhook_enabled=enabled, inbound_webhook_signing_key=key
                ),
            ),
        )
    return made.id


async def sent(
    database: Database, scope: Scope, world: World, integration_id: str, vendor_id: str
) -> str:
    """A message that went out, with its job."""
    ids = [world.ids.new() for _ in range(3)]
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO notifications (id, organization_id, environment_id, event_id, "
            "transaction_id, workflow_id, workflow_version, subscriber_id, recipient, channels, "
            "tags, severity, critical, created_at, updated_at) VALUES ($1, $2, $3, $1, "
            "$1, 'w', 1, 's', '{}', '{email}', '{}', 'none', false, now(), now())",
            ids[0],
            scope.organization_id,
            scope.environment_id,
        )
        await connection.execute(
            "INSERT INTO jobs (id, environment_id, notification_id, position, step_id, type, "
            "status, details, updated_at) VALUES ($1, $2, $3, 0, 's', 'email', 'completed', '[]', "
            "now())",
            ids[1],
            scope.environment_id,
            ids[0],
        )
        await connection.execute(
            "INSERT INTO messages (id, organization_id, environment_id, notification_id, job_id, "
            "event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, "
            "integration_id, provider_message_id, status, content, address, created_at, "
            "updated_at) VALUES ($1, $2, $3, $4, $5, $4, $4, 'w', 's', 's', 'email', $6, $7, "
            "'sent', '\"\"', $8, now(), now())",
            ids[2],
            scope.organization_id,
            scope.environment_id,
            ids[0],
            ids[1],
            integration_id,
            vendor_id,
            msgspec.json.encode({"email": ADDRESS}).decode(),
        )
    return ids[2]


def path(scope: Scope, integration_id: str) -> str:
    return f"/v2/inbound-webhooks/delivery-providers/{scope.environment_id}/{integration_id}"


async def details(database: Database) -> list[dict[str, Any]]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT details FROM jobs ORDER BY id")
    return [line for row in rows for line in msgspec.json.decode(row["details"])]


DELIVERED = {
    "RecordType": "Delivery",
    "MessageID": "v1",
    "Recipient": ADDRESS,
    "DeliveredAt": "2026-05-01T12:00:00Z",
}
OPENED = {
    "RecordType": "Open",
    "MessageID": "v1",
    "Recipient": ADDRESS,
    "ReceivedAt": "2026-05-01T13:00:00Z",
}
BOUNCED = {
    "RecordType": "Bounce",
    "Type": "HardBounce",
    "ID": 7,
    "MessageID": "v1",
    "Email": "ADA@example.com",
    "BouncedAt": "2026-05-01T12:00:00Z",
    "Description": "No such mailbox",
}


async def test_a_delivery_and_a_reading_are_noted_once(
    stranger: httpx.AsyncClient,
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    world: World,
) -> None:
    id = await integration(database, scope, world)
    message = await sent(database, scope, world, id, "v1")
    for body in (DELIVERED, OPENED, DELIVERED):
        answer = await stranger.post(path(scope, id), params={"token": SECRET}, json=body)
        assert answer.status_code == 200
        (noted,) = answer.json()
        assert noted["id"] == message
    assert noted["event"] == {
        "status": "delivered",
        "date": "2026-05-01T12:00:00.000Z",
        "externalId": "v1",
        "attempts": 1,
        "row": {
            "message_id": "v1",
            "happened": "delivered",
            "at": "2026-05-01T12:00:00Z",
            "target": ADDRESS,
        },
    }
    lines = await details(database)
    assert [(line["status"], line["source"]) for line in lines] == [
        ("Success", "Webhook"),
        ("ReadConfirmation", "Webhook"),
    ]
    (shown,) = (await client.get("/v1/messages")).json()["data"]
    assert shown["deliveredAt"] == ["2026-05-01T12:00:00.000Z"]
    assert (shown["seen"], shown["read"]) == (True, True)
    assert shown["lastReadDate"] == "2026-05-01T13:00:00.000Z"


async def test_a_bounce_is_an_error_and_suppresses_until_it_is_lifted(
    stranger: httpx.AsyncClient,
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    world: World,
) -> None:
    id = await integration(database, scope, world)
    await sent(database, scope, world, id, "v1")
    answer = await stranger.post(path(scope, id), params={"token": SECRET}, json=BOUNCED)
    assert answer.status_code == 200
    (shown,) = (await client.get("/v1/messages")).json()["data"]
    assert (shown["status"], shown["errorText"]) == ("error", "No such mailbox")
    assert shown["errorId"] == "mail_unexpected_error"
    (listed,) = (await client.get("/v1/suppressions")).json()["data"]
    assert (listed["channel"], listed["address"], listed["reason"]) == (
        "email",
        ADDRESS,
        "bounced",
    )
    found = await client.get("/v1/suppressions", params={"address": "Ada@example.com"})
    assert len(found.json()["data"]) == 1
    for status in (204, 404):
        gone = await client.delete(f"/v1/suppressions/email/{ADDRESS}")
        assert gone.status_code == status


async def test_unknown_messages_are_answered_and_counted(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    id = await integration(database, scope, world)
    answer = await stranger.post(
        path(scope, id), params={"token": SECRET}, json={**DELIVERED, "MessageID": "nobody\0"}
    )
    assert (answer.status_code, answer.json()) == (200, [])
    figures = (await stranger.get("/metrics")).text
    assert 'tidings_delivery_events_total{provider="postmark",result="unknown"}' in figures


async def test_the_secret_may_come_as_a_password(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    id = await integration(database, scope, world)
    answer = await stranger.post(path(scope, id), auth=("x", SECRET), json=DELIVERED)
    assert answer.status_code == 200


@pytest.mark.parametrize("token", ["", "wrong"])
async def test_a_call_without_the_secret_is_refused(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World, token: str
) -> None:
    id = await integration(database, scope, world)
    await sent(database, scope, world, id, "v1")
    answer = await stranger.post(path(scope, id), params={"token": token}, json=DELIVERED)
    assert answer.status_code == 401
    assert await details(database) == []


async def test_without_a_signing_key_nothing_is_taken(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    id = await integration(database, scope, world, key="")
    answer = await stranger.post(path(scope, id), params={"token": ""}, json=DELIVERED)
    assert answer.status_code == 401


async def test_what_is_unknown_or_switched_off_is_not_there(
    stranger: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    other_scope: Scope,
    world: World,
) -> None:
    off = await integration(database, scope, world, enabled=False)
    places = (
        path(scope, off),
        path(scope, "6" * 24),
        path(other_scope, off),
        path(Scope("", "nowhere"), off),
    )
    for place in places:
        answer = await stranger.post(place, params={"token": SECRET}, json=DELIVERED)
        assert answer.status_code == 404


async def test_too_large_a_report_is_refused(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    id = await integration(database, scope, world)
    answer = await stranger.post(path(scope, id), content=b"x" * (600 * 1024))
    assert answer.status_code == 413


async def test_a_report_that_comes_before_its_message_was_saved_is_taken_up(
    stranger: httpx.AsyncClient,
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    world: World,
) -> None:
    id = await integration(database, scope, world)
    early = await stranger.post(path(scope, id), params={"token": SECRET}, json=DELIVERED)
    assert early.json() == []
    nobody = {**DELIVERED, "MessageID": "nobody"}
    await stranger.post(path(scope, id), params={"token": SECRET}, json=nobody)
    await sent(database, scope, world, id, "v1")
    for _ in range(2):
        await reports.settle(database, world)
    (line,) = await details(database)
    assert (line["status"], line["source"]) == ("Success", "Webhook")
    (shown,) = (await client.get("/v1/messages")).json()["data"]
    assert shown["deliveredAt"] == ["2026-05-01T12:00:00.000Z"]


async def test_a_challenge_is_answered(
    stranger: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    async with database.transaction() as tx:
        made = await integration_actions.create(
            tx,
            scope,
            world,
            integration_actions.NewIntegration(
                provider_id="whatsapp-business",
                active=True,
                credentials={"apiToken": "t", "phoneNumberIdentification": "1"},
                configurations=Configurations(
                    inbound_webhook_enabled=True, inbound_webhook_signing_key=SECRET
                ),
            ),
        )
    query = {"hub.mode": "subscribe", "hub.verify_token": SECRET, "hub.challenge": "42"}
    answer = await stranger.get(path(scope, made.id), params=query)
    assert (answer.status_code, answer.text) == (200, "42")
