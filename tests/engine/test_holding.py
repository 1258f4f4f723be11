"""Suppressed addresses get nothing, and an integration with a rate is not overrun."""

from collections.abc import Callable

import pytest

from tests.engine.conftest import EMAIL, Engine, Step, people
from tests.engine.test_delivery import PUSH, WEBHOOK, devices
from tidings.domain.limits import Limits, Pace
from tidings.domain.suppressions import Suppression
from tidings.providers.exchange import Response
from tidings.storage import paces, suppressions

HELLO: Step = ("in_app", {"body": "Tea"})


async def test_a_suppressed_address_gets_nothing_and_the_run_goes_on(engine: Engine) -> None:
    await engine.mail_webhook()
    since = engine.clock.now()
    listed = Suppression(channel="email", address="s0@example.com", reason="bounced", since=since)
    async with engine.database.transaction() as tx:
        await suppressions.add(tx, engine.scope, [listed])
    workflow = await engine.workflow(EMAIL, HELLO)
    both = [{"subscriberId": "s0", "email": "S0@example.com"}, *people(2)[1:]]
    await engine.trigger(workflow, both)
    await engine.work()
    assert await engine.statuses("s0") == [["canceled", "completed"]]
    assert "The address is on the suppression list" in await engine.details("s0")
    assert await engine.statuses("s1") == [["completed", "completed"]]
    assert len(engine.wire.calls) == 1
    async with engine.database.transaction() as tx:
        assert await suppressions.remove(tx, engine.scope, "email", "s0@example.com")
    await engine.trigger(workflow, both[:1])
    await engine.work()
    assert (await engine.statuses("s0"))[-1] == ["completed", "completed"]


@pytest.fixture
def limited(with_limits: Callable[[Limits], Engine]) -> Engine:
    """An engine whose integrations send two messages per second."""
    return with_limits(Limits(send_rate=2.0))


async def test_messages_beyond_the_rate_wait_for_their_turn(limited: Engine) -> None:
    await limited.mail_webhook()
    await limited.trigger(await limited.workflow(EMAIL, HELLO), people(6))
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
    id, now = await limited.mail_webhook(), limited.clock.now()
    other = await limited.integration("chat-webhook")
    rates = {id: 10.0, other: 0.5, "gone": 1.0}
    async with limited.database.transaction() as tx:
        assert await paces.take(tx, {id: 3}, rates, now) == {id: 10.0}
        assert await paces.take(tx, {id: 9, other: 2}, rates, now) == {id: 7.0, other: 1.0}
        assert await paces.take(tx, {id: 1, other: 1}, rates, now) == {id: -2.0, other: -1.0}
        await limited.pass_time(seconds=60)
        later = limited.clock.now()
        assert await paces.take(tx, {id: 1, "gone": 1}, rates, later) == {id: 10.0}


async def test_limits_of_one_integration_leave_the_others_alone(
    with_limits: Callable[[Limits], Engine],
) -> None:
    engine = with_limits(Limits(send_limits={"email-webhook": Pace(rate=1.0)}))
    await engine.mail_webhook()
    await engine.integration(
        "generic-sms", baseUrl="http://127.0.0.1:1/x", apiKey="k" * 8, apiKeyRequestHeader="X-Key",
        **{"from": "a"},
    )  # fmt: skip
    reachable = [{**each, "phone": "+15005550006"} for each in people(3)]
    sms: Step = ("sms", {"body": "Tea"})
    await engine.trigger(await engine.workflow(sms, EMAIL), reachable)
    await engine.work()
    assert len(engine.wire.calls) == 3 + 1
    await engine.pass_time(seconds=2)
    assert len(engine.wire.calls) == 3 + 3


async def test_every_device_counts(with_limits: Callable[[Limits], Engine]) -> None:
    engine = with_limits(Limits(send_rate=2.0))
    await devices(engine, "push-webhook", "phone", "tablet", **WEBHOOK)
    workflow = await engine.workflow(PUSH)
    for _ in range(2):
        await engine.trigger(workflow)
    await engine.work()
    assert len(engine.wire.calls) == 2
    assert await engine.statuses() == [["completed"], ["delayed"]]
    await engine.pass_time(seconds=1)
    assert len(engine.wire.calls) == 4
    assert await engine.statuses() == [["completed"], ["completed"]]


async def test_a_message_that_fails_over_waits_for_its_turn_there(
    with_limits: Callable[[Limits], Engine],
) -> None:
    """The first integration has no rate and refuses its key; the second takes one a second."""
    engine = with_limits(Limits(send_limits={"postmark": Pace(rate=1.0)}))
    await engine.mail_webhook()
    await engine.integration("postmark", apiKey="k" * 12, **{"from": "a@example.com"})
    taken = Response(status=200, body=b'{"MessageID": "v", "ErrorCode": 0}')
    engine.wire.answer = lambda request: (
        taken if "postmark" in request.url else Response(status=401)
    )
    await engine.trigger(await engine.workflow(EMAIL), people(3))
    await engine.work()

    def through_postmark() -> int:
        return sum("postmark" in call.url for call in engine.wire.calls)

    assert through_postmark() == 1
    first = len(engine.wire.calls) - 1
    for number in (2, 3):
        await engine.pass_time(seconds=1)
        assert through_postmark() == number
    assert len(engine.wire.calls) - 3 == first
    for number in range(3):
        assert await engine.statuses(f"s{number}") == [["completed"]]
