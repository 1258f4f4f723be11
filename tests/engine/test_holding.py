"""Suppressed addresses get nothing, and an integration with a rate is not overrun."""

from typing import Any

import msgspec
import pytest

from tests.conftest import make_world
from tests.engine.conftest import Engine, Wire
from tidings.clock import ManualClock
from tidings.domain.limits import Limits
from tidings.domain.scope import Scope
from tidings.domain.suppressions import Suppression
from tidings.domain.workflows import StepType
from tidings.storage import paces, suppressions
from tidings.storage.changes import Listener
from tidings.storage.database import Database

EMAIL: tuple[StepType, dict[str, Any]] = (
    "email",
    {"subject": "Hi", "body": "<p>Tea</p>", "editorType": "html"},
)
HELLO: tuple[StepType, dict[str, Any]] = ("in_app", {"body": "Tea"})


async def _webhook(engine: Engine) -> str:
    return await engine.integration(
        "email-webhook", webhookUrl="http://127.0.0.1:1/x", secretKey="k" * 8,
        **{"from": "a@example.com"},
    )  # fmt: skip


def _people(count: int) -> list[dict[str, str]]:
    return [{"subscriberId": f"s{n}", "email": f"s{n}@example.com"} for n in range(count)]


async def test_a_suppressed_address_gets_nothing_and_the_run_goes_on(engine: Engine) -> None:
    await _webhook(engine)
    since = engine.clock.now()
    listed = Suppression(channel="email", address="s0@example.com", reason="bounced", since=since)
    async with engine.database.transaction() as tx:
        await suppressions.add(tx, engine.scope, [listed])
    workflow = await engine.workflow(EMAIL, HELLO)
    people = [{"subscriberId": "s0", "email": "S0@example.com"}, *_people(2)[1:]]
    await engine.trigger(workflow, people)
    await engine.work()
    assert await engine.statuses("s0") == [["canceled", "completed"]]
    assert "The address is on the suppression list" in await engine.details("s0")
    assert await engine.statuses("s1") == [["completed", "completed"]]
    assert len(engine.wire.calls) == 1
    async with engine.database.transaction() as tx:
        assert await suppressions.remove(tx, engine.scope, "email", "s0@example.com")
    await engine.trigger(workflow, people[:1])
    await engine.work()
    assert (await engine.statuses("s0"))[-1] == ["completed", "completed"]


@pytest.fixture
async def limited(database: Database, scope: Scope, clock: ManualClock) -> Any:
    """An engine whose integrations send two messages per second."""
    world = msgspec.structs.replace(make_world(clock), limits=Limits(send_rate=2.0))
    listener = Listener(database)
    await listener.start()
    yield Engine(database, scope, world, clock, Wire(), listener)
    await listener.stop()


async def test_messages_beyond_the_rate_wait_for_their_turn(limited: Engine) -> None:
    await _webhook(limited)
    await limited.trigger(await limited.workflow(EMAIL, HELLO), _people(6))
    await limited.work()
    assert len(limited.wire.calls) == 2
    states = [(await limited.statuses(f"s{n}"))[0][0] for n in range(6)]
    assert sorted(states) == ["completed"] * 2 + ["delayed"] * 4
    await limited.pass_time(seconds=1)
    assert len(limited.wire.calls) == 4
    await limited.pass_time(seconds=1)
    assert len(limited.wire.calls) == 6
    for number in range(6):
        assert await limited.statuses(f"s{number}") == [["completed", "completed"]]


async def test_a_bucket_is_shared_and_fills_again(limited: Engine) -> None:
    id, now = await _webhook(limited), limited.clock.now()
    async with limited.database.transaction() as tx:
        assert await paces.take(tx, {id: 3}, 10.0, now) == {id: 10.0}
        assert await paces.take(tx, {id: 9}, 10.0, now) == {id: 7.0}
        assert await paces.take(tx, {id: 1}, 10.0, now) == {id: -2.0}
        await limited.pass_time(seconds=60)
        later = limited.clock.now()
        assert await paces.take(tx, {id: 1, "gone": 1}, 10.0, later) == {id: 10.0}
