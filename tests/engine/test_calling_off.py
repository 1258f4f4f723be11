"""Cancel and replay against the engine that runs them."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from tests.engine.conftest import EMAIL, Engine, Step, people
from tests.engine.test_delivery import PUSH, WEBHOOK, devices
from tests.waiting import DEADLINE, until_async
from tidings.actions import events, notifications
from tidings.domain.limits import Limits
from tidings.providers.exchange import Response
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.storage.replays import Again


async def cancel(engine: Engine, transaction: str, by: Database | None = None) -> bool:
    async with (by or engine.database).transaction() as tx:
        return await events.cancel(tx, engine.scope, engine.world, transaction)


@pytest.fixture
async def elsewhere(database: Database) -> AsyncIterator[Database]:
    """The connections of another process."""
    other = await Database.open(database.url)
    yield other
    await other.close()


@pytest.fixture
def narrow(with_limits: Callable[[Limits], Engine]) -> Engine:
    """An engine that sends one message at a time, and whose first is on its way for long."""
    engine = with_limits(Limits(send_concurrency=1))
    engine.wire.free.clear()
    return engine


async def begin(engine: Engine) -> asyncio.Task[None]:
    """The engine at work, as soon as the first message is with the provider."""
    working = asyncio.create_task(engine.work())
    await asyncio.wait_for(engine.wire.called.wait(), DEADLINE)
    return working


async def finish(engine: Engine, working: asyncio.Task[None]) -> None:
    engine.wire.free.set()
    await asyncio.wait_for(working, DEADLINE)


class TestMessagesInLine:
    async def test_they_are_not_sent_after_a_cancel(self, narrow: Engine) -> None:
        await narrow.mail_webhook()
        delay: Step = ("delay", {"type": "regular", "amount": 1, "unit": "hours"})
        workflow = await narrow.workflow(EMAIL, delay)
        transaction = await narrow.trigger(workflow, people(4))
        working = await begin(narrow)
        assert await cancel(narrow, transaction) is True
        assert await cancel(narrow, transaction) is False
        await finish(narrow, working)
        assert len(narrow.wire.calls) == 1
        assert await narrow.statuses("s0") == [["completed", "canceled"]]
        for number in range(1, 4):
            assert await narrow.statuses(f"s{number}") == [["canceled", "canceled"]]
            assert await narrow.details(f"s{number}") == [
                "Start sending message",
                "The trigger was canceled",
                "Canceled on request",
            ]
        assert [row[0] for row in await narrow.messages()] == ["email"]

    async def test_those_of_other_events_are_sent(self, narrow: Engine) -> None:
        await narrow.mail_webhook()
        workflow = await narrow.workflow(EMAIL)
        one = await narrow.trigger(workflow, people(3))
        await narrow.trigger(workflow, people(3))
        working = await begin(narrow)
        await cancel(narrow, one)
        await finish(narrow, working)
        assert len(narrow.wire.calls) == 4
        for number in range(1, 3):
            assert await narrow.statuses(f"s{number}") == [["canceled"], ["completed"]]

    async def test_another_process_cancels(self, narrow: Engine, elsewhere: Database) -> None:
        await narrow.mail_webhook()
        transaction = await narrow.trigger(await narrow.workflow(EMAIL), people(3))
        working = await begin(narrow)
        before = narrow.called_off.heard
        await cancel(narrow, transaction, elsewhere)

        async def heard() -> bool:
            return narrow.called_off.heard > before

        await until_async(heard)
        await finish(narrow, working)
        assert len(narrow.wire.calls) == 1

    async def test_another_process_cancels_unheard(
        self, narrow: Engine, elsewhere: Database, listener: Listener
    ) -> None:
        await narrow.mail_webhook()
        transaction = await narrow.trigger(await narrow.workflow(EMAIL), people(3))
        working = await begin(narrow)
        await listener.stop()
        await cancel(narrow, transaction, elsewhere)
        await finish(narrow, working)
        assert len(narrow.wire.calls) == 1

    async def test_a_device_was_reached_before(self, narrow: Engine) -> None:
        narrow.wire.free.set()
        await devices(narrow, "push-webhook", "phone", "tablet", **WEBHOOK)
        narrow.wire.free.clear()
        transaction = await narrow.trigger(await narrow.workflow(PUSH))
        working = await begin(narrow)
        assert await cancel(narrow, transaction)
        await finish(narrow, working)
        assert len(narrow.wire.calls) == 1
        assert await narrow.statuses() == [["completed"]]
        assert (await narrow.details())[-1] == (
            "The trigger was canceled before all targets were reached"
        )


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
    workflow = await engine.workflow(EMAIL)
    await engine.mail_webhook()
    engine.wire.answer = lambda request: Response(status=400, headers={}, body=b"{}")
    transaction = await engine.trigger(workflow, people(count))
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
