"""What keeps a message from being sent, and what it says about it."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from tests.engine.conftest import Engine
from tests.engine.test_runs import HELLO
from tidings.actions import integrations as integration_actions
from tidings.domain.conditions import FieldFilterPart, StepFilter
from tidings.domain.schedules import DaySchedule, Schedule, TimeRange, WeeklySchedule
from tidings.domain.workflows import All, Preference, StepType
from tidings.storage import preferences, subscribers

SMS: tuple[StepType, dict[str, Any]] = ("sms", {"body": "Hi"})
ADA = {"subscriberId": "ada", "phone": "+441234567890", "timezone": "Europe/London"}


async def gateway(engine: Engine, name: str, *conditions: StepFilter) -> None:
    async with engine.database.transaction() as tx:
        await integration_actions.create(
            tx,
            engine.scope,
            engine.world,
            integration_actions.NewIntegration(
                provider_id="generic-sms",
                name=name,
                identifier=name,
                active=True,
                conditions=conditions,
                credentials={
                    "baseUrl": f"http://127.0.0.1:1/{name}",
                    "apiKeyRequestHeader": "x-key",
                    "apiKey": "secret-of-the-gateway",
                    "from": "Tidings",
                    "idPath": "id",
                },
            ),
        )


async def choose(engine: Engine, workflow: str | None, **channels: bool) -> None:
    async with engine.database.transaction() as tx:
        id = await subscribers.id_of(tx, engine.scope, "ada")
        await preferences.choose(
            tx,
            engine.scope,
            id,
            {workflow: channels},  # type: ignore[dict-item]
            engine.clock.now(),
        )


async def known(engine: Engine) -> None:
    await engine.trigger(await engine.workflow(HELLO, key="setup"), [ADA])
    await engine.work()
    async with engine.database.connection() as connection:
        await connection.execute("DELETE FROM notifications")
        await connection.execute("DELETE FROM messages")


@pytest.mark.parametrize("everywhere", [True, False])
async def test_a_preference_is_obeyed_and_named(engine: Engine, everywhere: bool) -> None:
    await gateway(engine, "one")
    await known(engine)
    workflow = await engine.workflow(SMS, HELLO)
    await choose(engine, None if everywhere else workflow, sms=False)
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["canceled", "completed"]]
    layer = "global" if everywhere else "workflow"
    assert f"Step filtered by subscriber {layer} preferences" in await engine.details()
    assert engine.wire.calls == []


async def test_a_critical_workflow_asks_nobody(engine: Engine) -> None:
    await gateway(engine, "one")
    await known(engine)
    critical = Preference(all=All(enabled=True, read_only=True))
    workflow = await engine.workflow(SMS, default_preference=critical)
    await choose(engine, None, sms=False)
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["completed"]]


def night() -> Schedule:
    """Open from ten at night to six in the morning."""
    day = DaySchedule(is_enabled=True, hours=[TimeRange("10:00 PM", "06:00 AM")])
    names = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    return Schedule(is_enabled=True, weekly_schedule=WeeklySchedule(**dict.fromkeys(names, day)))


@pytest.mark.parametrize(
    ("hour", "sent"), [(5, True), (7, False), (12, False), (21, False), (23, True)]
)
async def test_a_schedule_over_midnight(engine: Engine, hour: int, sent: bool) -> None:
    await gateway(engine, "one")
    await known(engine)
    async with engine.database.transaction() as tx:
        id = await subscribers.id_of(tx, engine.scope, "ada")
        await preferences.set_schedule(tx, engine.scope, id, night(), engine.clock.now())
    start = engine.clock.now()
    engine.clock.advance(datetime(2026, 1, 2, hour, 30, tzinfo=UTC) - start)
    await engine.trigger(await engine.workflow(SMS, HELLO))
    await engine.work()
    assert await engine.statuses() == [["completed" if sent else "canceled", "completed"]]
    said = "The step was skipped as it fell outside the subscriber's schedule"
    assert (said in await engine.details()) is not sent


async def test_a_wait_is_extended_to_the_schedule(engine: Engine) -> None:
    await gateway(engine, "one")
    await known(engine)
    async with engine.database.transaction() as tx:
        id = await subscribers.id_of(tx, engine.scope, "ada")
        await preferences.set_schedule(tx, engine.scope, id, night(), engine.clock.now())
    delay = {"type": "regular", "amount": 1, "unit": "hours", "extendToSchedule": True}
    await engine.trigger(await engine.workflow(("delay", delay), SMS))
    await engine.work()
    await engine.pass_time(hours=2)
    assert await engine.statuses() == [["delayed", "pending"]]
    await engine.pass_time(hours=9)
    assert await engine.statuses() == [["completed", "completed"]]


async def test_conditions_choose_the_integration(engine: Engine) -> None:
    only_vip = StepFilter(
        is_negated=False,
        type="GROUP",
        value="AND",
        children=(FieldFilterPart(field="plan", value="vip", operator="EQUAL", on="payload"),),
    )
    await gateway(engine, "plain")
    await gateway(engine, "golden", only_vip)
    await known(engine)
    workflow = await engine.workflow(SMS)
    for plan in ("vip", "free"):
        await engine.trigger(workflow, payload={"plan": plan})
        await engine.work()
    assert [call.url.rsplit("/", 1)[1] for call in engine.wire.calls] == ["golden", "plain"]


async def test_the_trigger_can_name_the_integration(engine: Engine) -> None:
    await gateway(engine, "first")
    await gateway(engine, "second")
    await known(engine)
    overrides = {"sms": {"integrationIdentifier": "second"}}
    await engine.trigger(await engine.workflow(SMS), overrides=overrides)
    await engine.work()
    assert engine.wire.calls[0].url.endswith("/second")


async def test_a_subscriber_without_a_number(engine: Engine) -> None:
    await gateway(engine, "one")
    await engine.trigger(await engine.workflow(SMS, HELLO), "bob")
    await engine.work()
    assert await engine.statuses("bob") == [["canceled", "completed"]]
    assert "Subscriber is missing a phone number" in await engine.details("bob")
    found = await engine.messages("channel, status, error_id")
    assert ("sms", "warning", "no_subscriber_phone") in found


async def test_a_template_that_cannot_be_rendered_fails_its_step_only(engine: Engine) -> None:
    endless = "{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}"
    workflow = await engine.workflow(("in_app", {"body": endless}), HELLO)
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["failed", "completed"]]
    assert "Message content could not be generated" in await engine.details()


async def test_proof_holds_what_was_known(engine: Engine) -> None:
    rule = {"==": [{"var": "payload.plan"}, "free"]}
    await engine.trigger(
        await engine.workflow(("in_app", {"body": "x", "skip": rule})), payload={"plan": "free"}
    )
    await engine.work()
    ((raw,),) = await engine.rows("SELECT details -> 0 -> 'raw' FROM jobs")
    said = msgspec.json.decode(raw)
    assert said["condition"] == rule
    assert said["compared"]
