from tests.engine.conftest import Engine
from tests.storage.test_inbox_changes import Ear
from tidings.storage import presence
from tidings.storage.inbox_changes import Change


async def _listening(engine: Engine) -> Ear:
    ear = Ear(engine.database)
    await ear.start()
    async with engine.database.transaction() as tx:
        await presence.enter(tx, "one", engine.clock.now())
    return ear


async def _messages(engine: Engine) -> list[Change]:
    rows = await engine.rows("SELECT subscriber_id, id FROM messages ORDER BY id")
    return [Change(subscriber_id, "received", id) for subscriber_id, id in rows]


async def test_the_messages_of_a_set_are_announced_together(engine: Engine) -> None:
    ear = await _listening(engine)
    workflow = await engine.workflow(("in_app", {"body": "Hello"}))
    await engine.trigger(workflow, [f"s{number}" for number in range(50)])
    await engine.work()
    await ear.has_heard(50)
    assert sorted(ear.heard, key=lambda each: each.message_id or "") == await _messages(engine)
    assert ear.payloads == 1
    await ear.listener.stop()


async def test_a_message_that_comes_later_is_announced_then(engine: Engine) -> None:
    ear = await _listening(engine)
    workflow = await engine.workflow(
        ("delay", {"type": "regular", "amount": 1, "unit": "hours"}), ("in_app", {"body": "Hello"})
    )
    await engine.trigger(workflow)
    await engine.work()
    assert ear.heard == []
    await engine.pass_time(hours=1, minutes=1)
    await ear.has_heard(1)
    assert ear.heard == await _messages(engine)
    await ear.listener.stop()
