"""Several workers at once: one set of effects."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from tests.engine.conftest import Engine
from tests.engine.test_runs import CHAT, HELLO, _chat_room
from tests.waiting import until_async
from tidings.domain.workflows import StepType
from tidings.engine.fan_out import EVENTS_AT_ONCE
from tidings.storage import workers
from tidings.storage.changes import Listener

COUNT: tuple[StepType, dict[str, Any]] = ("in_app", {"body": "{{steps.digest0.eventCount}}"})


async def crew(engine: Engine, size: int) -> list[Engine]:
    """More workers on the same database, with the same clock and the same wire."""
    found = [engine]
    for _ in range(size - 1):
        listener = Listener(engine.database)
        await listener.start()
        other = Engine(
            engine.database, engine.scope, engine.world, engine.clock, engine.wire, listener
        )
        async with engine.database.connection() as connection:
            now = engine.clock.now()
            await workers.beat(connection, other.worker_id, now, now)
        found.append(other)
    return found


async def all_work(workers_: list[Engine]) -> None:
    await asyncio.gather(*(each.work() for each in workers_))


async def test_a_thousand_triggers_make_one_digest(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("digest", {"type": "regular", "amount": 10, "unit": "minutes"}), COUNT
    )
    several = await crew(engine, 3)

    async def trigger(start: int) -> None:
        for number in range(start, start + 100):
            await engine.trigger(workflow, payload={"n": number})

    working = asyncio.create_task(_keep_working(several))
    await asyncio.gather(*(trigger(start) for start in range(0, 1000, 100)))
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await all_work(several)
    statuses = Counter(map(tuple, await engine.statuses()))
    assert statuses == {("delayed", "pending"): 1, ("merged", "merged"): 999}
    await engine.pass_time(minutes=10)
    ((_, content),) = await engine.messages()
    assert msgspec.json.decode(content) == "1000"


async def _keep_working(several: list[Engine]) -> None:
    while True:
        await all_work(several)
        await asyncio.sleep(0.01)


async def test_two_workers_and_one_due_job(engine: Engine) -> None:
    await _chat_room(engine)
    workflow = await engine.workflow(
        ("delay", {"type": "regular", "amount": 1, "unit": "minutes"}), CHAT, HELLO
    )
    await engine.trigger(workflow)
    await engine.work()
    several = await crew(engine, 4)
    engine.clock.advance(timedelta(minutes=2))
    await all_work(several)
    assert len(engine.wire.calls) == 1
    assert await engine.statuses() == [["completed"] * 3]


@pytest.mark.parametrize("left", ["running", "delayed"])
async def test_two_workers_and_two_messages_of_one_run(engine: Engine, left: str) -> None:
    """Left behind by a worker that is gone, or to be sent again after both failed."""
    await _chat_room(engine)
    await engine.trigger(await engine.workflow(CHAT, CHAT))
    await engine.work()
    async with engine.database.connection() as connection:
        await connection.execute(
            "UPDATE jobs SET status = $1, worker_id = 'gone', due_at = now() - interval '1 year'",
            left,
        )
    several = await crew(engine, 4)
    for _ in range(3):
        await asyncio.gather(*(each.sweeper.take_back() for each in several))
        await all_work(several)
    assert await engine.statuses() == [["completed"] * 2]
    assert len(engine.wire.calls) == 4


async def test_keys_keep_digests_apart(engine: Engine) -> None:
    workflow = await engine.workflow(
        (
            "digest",
            {"type": "regular", "amount": 1, "unit": "hours", "digestKey": "payload.order"},
        ),
        COUNT,
    )
    for order in ("a", "b", "a", "b", "a"):
        await engine.trigger(workflow, payload={"order": order})
    for key in ("ada", "bob"):
        await engine.trigger(workflow, key, payload={"order": "c"})
    await engine.work()
    await engine.pass_time(hours=1)
    counts = [msgspec.json.decode(content) for _, content in await engine.messages()]
    assert sorted(counts) == ["1", "1", "2", "3"]


async def test_two_digests_in_one_workflow(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("digest", {"type": "regular", "amount": 1, "unit": "hours"}),
        ("digest", {"type": "regular", "amount": 1, "unit": "days"}),
        ("in_app", {"body": "{{steps.digest0.eventCount}}/{{steps.digest1.eventCount}}"}),
    )
    for _ in range(3):
        await engine.trigger(workflow)
    await engine.work()
    await engine.pass_time(hours=1)
    for _ in range(2):
        await engine.trigger(workflow)
    await engine.work()
    await engine.pass_time(hours=1)
    await engine.pass_time(hours=24)
    ((_, content),) = await engine.messages()
    assert msgspec.json.decode(content) == "3/2"


async def test_a_delay_before_a_digest(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("delay", {"type": "regular", "amount": 5, "unit": "minutes"}),
        ("digest", {"type": "regular", "amount": 1, "unit": "hours"}),
        ("in_app", {"body": "{{steps.digest1.eventCount}}"}),
    )
    await engine.trigger(workflow)
    await engine.work()
    await engine.pass_time(minutes=4)
    await engine.trigger(workflow)
    await engine.work()
    await engine.pass_time(minutes=1)
    assert await engine.statuses() == [
        ["completed", "delayed", "pending"],
        ["delayed", "pending", "pending"],
    ]
    await engine.pass_time(minutes=5)
    await engine.pass_time(hours=1)
    ((_, content),) = await engine.messages()
    assert msgspec.json.decode(content) == "2"


async def test_look_back_lets_the_first_through_and_gathers_the_rest(engine: Engine) -> None:
    workflow = await engine.workflow(
        (
            "digest",
            {
                "type": "regular",
                "amount": 10,
                "unit": "minutes",
                "lookBackWindow": {"amount": 1, "unit": "hours"},
            },
        ),
        COUNT,
    )
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["skipped", "completed"]]
    for _ in range(3):
        await engine.trigger(workflow)
        await engine.work()
    await engine.pass_time(minutes=10)
    counts = [msgspec.json.decode(content) for _, content in await engine.messages()]
    assert sorted(counts) == ["1", "3"]


async def test_cancel_during_a_fan_out_starts_nothing_afterwards(engine: Engine) -> None:
    setup = await engine.workflow(HELLO, key="setup")
    for start in range(0, 3000, 100):
        await engine.trigger(setup, [f"s{number}" for number in range(start, start + 100)])
    await engine.work()
    workflow = await engine.workflow(HELLO)
    transaction = await engine.trigger(workflow, {"everyone": True})
    working = asyncio.create_task(engine.work())
    count = "SELECT count(*) FROM notifications WHERE workflow_id = $1"

    async def begun() -> bool:
        return bool(await engine.rows(count, workflow) != [(0,)])

    await until_async(begun)
    async with engine.database.connection() as connection:
        await connection.execute(
            "UPDATE events SET canceled_at = now() WHERE transaction_id = $1", transaction
        )
    ((at_cancel,),) = await engine.rows(
        "SELECT count(*) FROM messages WHERE workflow_id = $1", workflow
    )
    await working
    ((after,),) = await engine.rows(
        "SELECT count(*) FROM messages WHERE workflow_id = $1", workflow
    )
    assert after == at_cancel < 3000


async def test_one_who_gives_up_waiting_to_fan_out_stops_nobody_else(engine: Engine) -> None:
    workflow = await engine.workflow(HELLO)
    await engine.trigger(workflow)
    first = asyncio.create_task(engine.fan_out.drain())
    await asyncio.sleep(0)
    second = asyncio.create_task(engine.fan_out.drain())
    await asyncio.sleep(0)
    await engine.fan_out.drain()  # the second goes on for this one too
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    await engine.trigger(workflow)
    await engine.work()
    assert len(await engine.messages()) == 2


async def test_one_with_more_than_a_set_to_do_calls_others(engine: Engine) -> None:
    workflow = await engine.workflow(HELLO)
    wakes = "SELECT count(*) FROM pgqueuer"
    for _ in range(EVENTS_AT_ONCE - 1):
        await engine.trigger(workflow)
    await engine.work()
    assert await engine.rows(wakes) == [(0,)]
    for _ in range(EVENTS_AT_ONCE + 1):
        await engine.trigger(workflow)
    await engine.work()
    assert await engine.rows(wakes) == [(1,)]
