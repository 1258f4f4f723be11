"""In development a message that no integration delivers is caught; in production it fails."""

from typing import Any

import msgspec
import pytest

from tests.conftest import make_world
from tests.engine.conftest import Engine, Wire
from tidings.clock import ManualClock
from tidings.domain.catching import MOST_KEPT, Caught
from tidings.domain.scope import Scope
from tidings.domain.workflows import StepType
from tidings.storage import catching
from tidings.storage.changes import Listener
from tidings.storage.database import Database

ADA = {"subscriberId": "ada", "email": "ada@example.com", "phone": "+4915112345678"}
EMAIL: tuple[StepType, dict[str, Any]] = (
    "email",
    {"subject": "Hello {{payload.name}}", "body": "<p>Tea is ready</p>", "editorType": "html"},
)
SMS: tuple[StepType, dict[str, Any]] = ("sms", {"body": "Tea"})
CHAT: tuple[StepType, dict[str, Any]] = ("chat", {"body": "Tea?"})
PUSH: tuple[StepType, dict[str, Any]] = ("push", {"subject": "Tea", "body": "is ready"})


@pytest.fixture
async def developing(database: Database, scope: Scope, clock: ManualClock) -> Any:
    world = msgspec.structs.replace(make_world(clock), catching=True)
    listener = Listener(database)
    await listener.start()
    yield Engine(database, scope, world, clock, Wire(), listener)
    await listener.stop()


async def _caught(engine: Engine, **filter: str) -> list[Caught]:
    async with engine.database.connection() as connection:
        return await catching.newest(
            connection, engine.scope, catching.Filter(**filter), 0, MOST_KEPT
        )


async def test_every_channel_is_caught(developing: Engine) -> None:
    workflow = await developing.workflow(EMAIL, SMS, CHAT, PUSH)
    transaction = await developing.trigger(workflow, [ADA], {"name": "Ada"})
    await developing.work()
    assert await developing.statuses() == [["completed"] * 4]
    assert developing.wire.calls == []
    push, chat, sms, email = await _caught(developing, transaction_id=transaction)
    assert (email.recipients, email.subject) == (("ada@example.com",), "Hello Ada")
    assert "Tea is ready" in (email.html or "")
    assert (sms.recipients, sms.content) == (("+4915112345678",), "Tea")
    assert (chat.recipients, chat.content) == ((), "Tea?")
    assert (push.subject, push.content, push.subscriber_key) == ("Tea", "is ready", "ada")
    found = await developing.messages("channel, provider_id, status, id")
    assert sorted(row[:3] for row in found) == [
        ("chat", "svc", "sent"),
        ("email", "svc-email", "sent"),
        ("push", "svc", "sent"),
        ("sms", "svc-sms", "sent"),
    ]
    assert {row[3] for row in found} == {push.message_id, chat.message_id, sms.message_id,
                                         email.message_id}  # fmt: skip


async def test_an_integration_of_ones_own_is_used(developing: Engine) -> None:
    await developing.integration("email-webhook", webhookUrl="http://127.0.0.1:1/x",
                                 secretKey="k" * 8, **{"from": "a@example.com"})  # fmt: skip
    await developing.trigger(await developing.workflow(EMAIL, SMS), [ADA])
    await developing.work()
    assert len(developing.wire.calls) == 1
    assert [each.channel for each in await _caught(developing)] == ["sms"]


async def test_production_still_fails(engine: Engine) -> None:
    await engine.trigger(await engine.workflow(EMAIL, PUSH), [ADA])
    await engine.work()
    assert await engine.statuses() == [["failed", "failed"]]
    assert await _caught(engine) == []


async def test_a_subscriber_without_an_address_is_told(developing: Engine) -> None:
    await developing.trigger(await developing.workflow(EMAIL))
    await developing.work()
    assert await developing.statuses() == [["canceled"]]


async def test_only_the_newest_are_kept(database: Database, scope: Scope) -> None:
    world = make_world()
    every = [
        Caught(id=world.ids.new(), channel="sms", content=str(number), created_at=world.clock.now())
        for number in range(MOST_KEPT + 5)
    ]
    async with database.transaction() as tx:
        await catching.add(tx, [(scope, each) for each in every])
        left = await catching.newest(tx, scope, catching.Filter(), 0, 2 * MOST_KEPT)
    assert [each.content for each in left] == [str(n) for n in range(MOST_KEPT + 4, 4, -1)]


async def test_a_catcher_can_be_set_up_as_an_integration(engine: Engine) -> None:
    """In production too, for a demonstration."""
    await engine.integration("svc-sms")
    workflow = await engine.workflow(("sms", {"body": "Hi"}))
    await engine.trigger(workflow, [{"subscriberId": "ada", "phone": "+441234567890"}])
    await engine.work()
    assert await engine.statuses() == [["completed"]]
    assert await engine.rows("SELECT channel FROM caught_messages") == [("sms",)]
    assert engine.wire.calls == []
