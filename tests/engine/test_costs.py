"""What an event costs in statements and rows: figures that do not depend on the machine."""

import pytest

from tests.counting import counting
from tests.engine.conftest import Engine
from tidings.engine.fan_out import RECIPIENTS_AT_ONCE

EVENTS = 100
STEPS = (
    ("in_app", {"body": "Hello {{subscriber.firstName}}"}),
    ("email", {"subject": "Hello", "body": "<p>Hello</p>", "editorType": "html"}),
    ("chat", {"body": "Hello"}),
)


async def furnish(engine: Engine) -> str:
    await engine.integration(
        "email-webhook",
        webhookUrl="http://127.0.0.1:9/",
        secretKey="secret",
        senderName="Shop",
        **{"from": "shop@example.com"},
    )
    chat = await engine.integration("chat-webhook")
    workflow = await engine.workflow(*STEPS)  # type: ignore[arg-type]
    await engine.rows(
        "INSERT INTO subscribers (id, organization_id, environment_id, key, email, channels, "
        "created_at, updated_at) SELECT lpad(n::text, 24, '0'), $1, $2, 's' || n, 'a@example.com', "
        "jsonb_build_array(jsonb_build_object('providerId', 'chat-webhook', '_integrationId', "
        "$3::text, 'credentials', jsonb_build_object('webhookUrl', 'http://127.0.0.1:9/room'))), "
        "now(), now() FROM generate_series(1, 100) AS n",
        engine.scope.organization_id,
        engine.scope.environment_id,
        chat,
    )
    await engine.trigger(workflow, "s1")
    await engine.work()  # what is looked up once is looked up now
    return workflow


async def test_an_event_of_three_steps_takes_a_share_of_a_statement(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = await furnish(engine)
    for number in range(1, EVENTS + 1):
        await engine.trigger(workflow, f"s{number}")
    async with counting(engine.database, monkeypatch) as asked:
        await engine.work()
    assert await engine.rows("SELECT count(*) FROM messages") == [(3 * (EVENTS + 1),)]
    async with counting(engine.database, monkeypatch) as idling:
        await engine.work()  # what it asks every second, whether there is something to do or not
    assert len(asked) - len(idling) <= 0.3 * EVENTS, asked


async def test_a_recipient_takes_the_rows_that_the_interface_shows(engine: Engine) -> None:
    workflow = await furnish(engine)
    await engine.trigger(workflow, [f"s{number}" for number in range(1, EVENTS + 1)])
    await engine.work()
    for table, most in (("events", 1), ("notifications", EVENTS), ("jobs", 3 * EVENTS),
                        ("messages", 3 * EVENTS), ("event_parts", 0), ("digests", 0)):  # fmt: skip
        before = {"events": 1, "notifications": 1, "jobs": 3, "messages": 3}.get(table, 0)
        assert await engine.rows(f"SELECT count(*) FROM {table}") == [(before + most,)]


async def test_a_broadcast_takes_a_few_statements_per_range(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = await engine.workflow(STEPS[0])  # type: ignore[arg-type]
    await furnish_people(engine, 1000)
    await engine.trigger(workflow, {"everyone": True})
    async with counting(engine.database, monkeypatch) as asked:
        await engine.work()
    assert await engine.rows("SELECT count(*) FROM messages") == [(1000,)]
    assert len(asked) <= 20 + 15 * 1000 / RECIPIENTS_AT_ONCE, asked


async def furnish_people(engine: Engine, count: int) -> None:
    await engine.rows(
        "INSERT INTO subscribers (id, organization_id, environment_id, key, created_at, updated_at)"
        " SELECT lpad(n::text, 24, '0'), $1, $2, 's' || n, now(), now() "
        "FROM generate_series(1, $3::int) AS n",
        engine.scope.organization_id,
        engine.scope.environment_id,
        count,
    )
