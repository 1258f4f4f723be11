"""Cancel and replay against the engine that runs them."""

import pytest

from tests.engine.conftest import Engine
from tidings.actions import events, notifications
from tidings.providers.exchange import Response
from tidings.storage.replays import Again


async def cancel(engine: Engine, transaction: str) -> bool:
    async with engine.database.transaction() as tx:
        return await events.cancel(tx, engine.scope, engine.world, transaction)


async def test_nothing_is_sent_after_a_cancel(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("delay", {"type": "regular", "amount": 1, "unit": "hours"}), ("in_app", {"body": "Hi"})
    )
    waiting = await engine.trigger(workflow)
    await engine.work()
    fresh = await engine.trigger(workflow, "bob")
    assert await cancel(engine, waiting)
    assert await cancel(engine, fresh)
    await engine.pass_time(hours=2)
    assert await engine.messages() == []
    assert await engine.statuses() == [["canceled", "canceled"]]
    assert await engine.statuses("bob") == []


async def test_the_rest_of_a_digest_is_sent_when_its_first_event_is_canceled(
    engine: Engine,
) -> None:
    workflow = await engine.workflow(
        ("digest", {"type": "regular", "amount": 1, "unit": "hours"}),
        ("in_app", {"body": "{{ steps.digest0.eventCount }}: {{ payload.n }}"}),
    )
    transactions = []
    for number in range(4):
        transactions.append(await engine.trigger(workflow, payload={"n": number}))
        await engine.work()
    assert await cancel(engine, transactions[0])
    assert await cancel(engine, transactions[2])
    await engine.pass_time(hours=2)
    assert await engine.statuses() == [
        ["canceled", "canceled"],
        ["completed", "completed"],
        ["canceled", "canceled"],
        ["merged", "merged"],
    ]
    assert [content for _, content in await engine.messages()] == ['"2: 1"']


@pytest.mark.parametrize("count", [1, 3])
async def test_a_replay_sends_what_failed(engine: Engine, count: int) -> None:
    workflow = await engine.workflow(
        ("email", {"subject": "Hi", "body": "<p>Hi</p>", "editorType": "html"})
    )
    await engine.integration(
        "email-webhook",
        webhookUrl="http://127.0.0.1:1/mail",
        secretKey="s",
        senderName="A",
        **{"from": "a@example.com"},
    )
    engine.wire.answer = lambda request: Response(status=400, headers={}, body=b"{}")
    people = [
        {"subscriberId": f"s{number}", "email": f"s{number}@example.com"} for number in range(count)
    ]
    transaction = await engine.trigger(workflow, people)
    await engine.work()
    assert await engine.statuses("s0") == [["failed"]]
    engine.wire.answer = lambda request: Response(status=200, headers={}, body=b'{"id": "m"}')
    async with engine.database.transaction() as tx:
        again: list[Again] = await notifications.replay_transaction(
            tx, engine.scope, engine.world, transaction
        )
    assert [each.type for each in again] == ["email"] * count
    await engine.work()
    assert await engine.statuses("s0") == [["completed"]]
    rows = await engine.rows("SELECT status FROM messages")
    assert rows == [("sent",)] * count
