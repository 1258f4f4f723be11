"""What the figures need in a service: people, a workflow of three channels, a topic, many rows."""

import asyncio
import json
import time
from typing import Any

import asyncpg

from bench import calls
from bench.service import Service
from tidings.domain.environments import DEVELOPMENT
from tidings.domain.scope import Scope
from tidings.storage import environments

EMAIL = (
    "<p>Hello {{subscriber.firstName}},</p><p>your order {{payload.order}} with "
    "{% for item in payload.items %}{{item}}{% unless forloop.last %}, {% endunless %}{% endfor %} "
    "is on its way.</p>"
)
PAYLOAD = {"order": "A-1001", "items": ["a lamp", "two chairs"], "note": "x" * 100}
_LINKS = (
    "links AS (SELECT n, lpad(to_hex(n), 24, '0') AS id FROM generate_series($3::int, $4::int) n)"
)

_BUSY = (
    "SELECT EXISTS (SELECT FROM events WHERE status = 'accepted') "
    "OR EXISTS (SELECT FROM event_parts) OR EXISTS (SELECT FROM jobs WHERE status = 'running')"
)


async def scope_of(connection: Any) -> Scope:
    found = await environments.named(connection, DEVELOPMENT)
    return Scope(found.organization_id, found.id)


def channels(service: Service, sink_port: int) -> None:
    """Integrations for e-mail and chat that post to the sink."""
    address = f"http://127.0.0.1:{sink_port}/"
    service.post(
        "/v1/integrations",
        {
            "providerId": "email-webhook",
            "channel": "email",
            "active": True,
            "credentials": {
                "webhookUrl": address,
                "secretKey": "secret-of-the-sink",
                "from": "shop@example.com",
                "senderName": "Shop",
            },
        },
    )
    service.post(
        "/v1/integrations",
        {"providerId": "chat-webhook", "channel": "chat", "active": True, "credentials": {}},
    )


def workflow(service: Service, key: str, *types: str) -> None:
    controls: dict[str, dict[str, Any]] = {
        "in_app": {"body": "Order {{payload.order}} is on its way, {{subscriber.firstName}}"},
        "email": {"subject": "Order {{payload.order}}", "body": EMAIL, "editorType": "html"},
        "chat": {"body": "Order {{payload.order}} of {{subscriber.firstName}} left"},
        "delay": {"amount": 30, "unit": "days", "type": "regular"},
    }
    steps = [{"name": type, "type": type, "controlValues": controls[type]} for type in types]
    service.post("/v2/workflows", {"name": key, "workflowId": key, "active": True, "steps": steps})


def triggers(service: Service, key: str, people: int, count: int, seed: str) -> list[bytes]:
    """Requests that trigger the workflow for one person each, every one with its own key."""
    return [
        calls.request(
            "POST",
            "/v1/events/trigger",
            {**service.headers, "Idempotency-Key": f"{seed}-{number}"},
            json.dumps({"name": key, "to": f"s{number % people + 1}", "payload": PAYLOAD}).encode(),
        )
        for number in range(count)
    ]


async def people(url: str, first: int, last: int, sink_port: int | None = None) -> None:
    """Subscribers s<first> to s<last>, with a chat room at the sink if there is one."""
    connection = await asyncpg.connect(url)
    scope = await scope_of(connection)
    room = "[]"
    if sink_port is not None:
        integration_id = await connection.fetchval(
            "SELECT id FROM integrations WHERE provider_id = 'chat-webhook'"
        )
        entry = {
            "providerId": "chat-webhook",
            "_integrationId": integration_id,
            "credentials": {"webhookUrl": f"http://127.0.0.1:{sink_port}/room"},
        }
        room = json.dumps([entry])
    await connection.execute(
        f"WITH {_LINKS} INSERT INTO subscribers (id, organization_id, environment_id, key, "
        "first_name, last_name, email, channels, data, created_at, updated_at) "
        "SELECT id, $1, $2, 's' || n, 'Ada ' || n % 997, 'Lovelace', 's' || n || '@example.com', "
        "$5::jsonb, "
        '\'{"plan": "gold"}\', now(), now() FROM links',
        scope.organization_id,
        scope.environment_id,
        first,
        last,
        room,
        timeout=300,
    )
    await connection.execute("VACUUM ANALYZE subscribers", timeout=300)
    await connection.close()


async def topic(url: str, key: str, count: int) -> None:
    """The first subscribers in one topic."""
    connection = await asyncpg.connect(url)
    scope = await scope_of(connection)
    await connection.execute(
        "INSERT INTO topics (id, organization_id, environment_id, key, created_at, updated_at) "
        "VALUES (repeat('a', 24), $1, $2, $3, now(), now())",
        scope.organization_id,
        scope.environment_id,
        key,
    )
    await connection.execute(
        "INSERT INTO topic_subscriptions (id, environment_id, topic_id, subscriber_id, identifier, "
        "created_at) SELECT id, $1, repeat('a', 24), id, key, now() FROM subscribers "
        "WHERE environment_id = $1 ORDER BY id LIMIT $2",
        scope.environment_id,
        count,
    )
    await connection.execute("ANALYZE topic_subscriptions")
    await connection.close()


async def waiting(url: str, first: int, last: int) -> None:
    """Events of long ago, one subscriber each, whose only job is delayed for a month."""
    connection = await asyncpg.connect(url)
    scope = await scope_of(connection)
    workflow_id, step_id = await connection.fetchval(
        "SELECT ARRAY[id, steps -> 0 ->> 'id'] FROM workflows WHERE key = 'later'"
    )
    arguments = (scope.organization_id, scope.environment_id, first, last)
    texts = (
        "INSERT INTO events (id, organization_id, environment_id, transaction_id, workflow_id, "
        "workflow_version, recipients, payload, overrides, status, created_at) "
        f"SELECT id, $1, $2, 'old-' || n, '{workflow_id}', 1, "
        "'{\"subscribers\": []}', '{\"order\": \"A-1\"}', '{}', 'done', now() FROM links",
        "INSERT INTO notifications (id, organization_id, environment_id, event_id, "
        "transaction_id, workflow_id, workflow_version, subscriber_id, recipient, channels, tags, "
        f"severity, critical, created_at, updated_at) SELECT id, $1, $2, id, 'old-' || n, "
        f"'{workflow_id}', 1, id, '{{}}', '{{delay}}', '{{}}', 'none', false, now(), now() "
        "FROM links",
        "INSERT INTO jobs (id, environment_id, notification_id, position, step_id, type, status, "
        f"due_at, details, updated_at) SELECT id, $2, id, 0, '{step_id}', 'delay', 'delayed', "
        "now() + interval '30 days', '[]', now() FROM links WHERE $1 <> ''",
    )
    for text in texts:
        await connection.execute(f"WITH {_LINKS} {text}", *arguments, timeout=600)
    await connection.close()
    await tidied(url)


async def tidied(url: str) -> None:
    """What the server does by itself after a while."""
    connection = await asyncpg.connect(url)
    for table in ("events", "notifications", "jobs", "messages"):
        await connection.execute(f"VACUUM ANALYZE {table}", timeout=300)
    await connection.close()


async def forgotten(url: str) -> None:
    """Take back what was accepted and not begun."""
    connection = await asyncpg.connect(url)
    await connection.execute("DELETE FROM events WHERE status = 'accepted'")
    await connection.close()


async def finished(url: str, seconds: float = 240.0) -> None:
    """Wait until nothing is left to be done but what waits for its time."""
    connection = await asyncpg.connect(url)
    deadline = time.monotonic() + seconds
    while await connection.fetchval(_BUSY):
        if time.monotonic() > deadline:
            raise RuntimeError("the engine did not finish in time")
        await asyncio.sleep(0.1)
    await connection.close()
