"""From a trigger to its messages, with a clock that is moved by hand."""

from typing import Any

import msgspec
import pytest

from tests.engine.conftest import Engine
from tidings.domain.workflows import StepType
from tidings.engine import deciding
from tidings.providers.exchange import Response
from tidings.storage import runs

HELLO: tuple[StepType, dict[str, Any]] = (
    "in_app",
    {"body": "Hello {{subscriber.firstName}}, {{payload.what}}"},
)


async def test_an_in_app_message_is_there_at_once(engine: Engine) -> None:
    workflow = await engine.workflow(HELLO)
    ada = {"subscriberId": "ada", "firstName": "Ada"}
    await engine.trigger(workflow, [ada], {"what": "tea is ready"})
    await engine.work()
    assert await engine.statuses() == [["completed"]]
    ((channel, content),) = await engine.messages()
    assert (channel, msgspec.json.decode(content)) == ("in_app", "Hello Ada, tea is ready")
    assert await engine.details() == ["Message created", "Message sent"]


async def test_a_delay_of_a_year(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("delay", {"type": "regular", "amount": 12, "unit": "months"}), HELLO
    )
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["delayed", "pending"]]
    await engine.pass_time(days=364)
    assert await engine.statuses() == [["delayed", "pending"]]
    await engine.pass_time(days=1, minutes=1)
    assert await engine.statuses() == [["completed", "completed"]]


async def test_a_digest_gathers_and_goes_on_once(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("digest", {"type": "regular", "amount": 1, "unit": "hours"}),
        (
            "in_app",
            {
                "body": "{{steps.digest0.eventCount}}: "
                "{{steps.digest0.events | map: 'payload' | map: 'n' | join: ','}}"
            },
        ),
    )
    for number in range(3):
        await engine.trigger(workflow, payload={"n": number})
    await engine.work()
    await engine.trigger(workflow, payload={"n": 3})
    await engine.work()
    assert await engine.statuses() == [["delayed", "pending"]] + [["merged", "merged"]] * 3
    await engine.pass_time(hours=1)
    ((_, content),) = await engine.messages()
    assert msgspec.json.decode(content) == "4: 0,1,2,3"
    await engine.trigger(workflow, payload={"n": 9})
    await engine.work()
    assert (await engine.statuses())[-1] == ["delayed", "pending"]


CHAT: tuple[StepType, dict[str, Any]] = ("chat", {"body": "Ping {{payload.n}}"})


async def _chat_room(engine: Engine, key: str = "ada") -> None:
    """A subscriber with a chat room behind a webhook."""
    integration = await engine.integration("chat-webhook", webhookUrl="http://127.0.0.1:1/hook")
    await engine.trigger(await engine.workflow(HELLO, key="setup"), key)
    await engine.work()
    async with engine.database.connection() as connection:
        await connection.execute(
            "UPDATE subscribers SET channels = $2 WHERE key = $1",
            key,
            msgspec.json.encode(
                [
                    {
                        "providerId": "chat-webhook",
                        "_integrationId": integration,
                        "credentials": {"webhookUrl": "http://127.0.0.1:1/room"},
                    }
                ]
            ).decode(),
        )
        await connection.execute("DELETE FROM notifications")
        await connection.execute("DELETE FROM messages")


async def test_a_chat_message_goes_out_and_is_proved(engine: Engine) -> None:
    await _chat_room(engine)
    workflow = await engine.workflow(HELLO, CHAT)
    await engine.trigger(workflow, payload={"n": 1})
    await engine.work()
    assert await engine.statuses() == [["completed", "completed"]]
    assert len(engine.wire.calls) == 1
    assert "Message sent" in (await engine.details())[-1]
    found = await engine.messages("channel, status, provider_id")
    assert sorted(found) == [("chat", "sent", "chat-webhook"), ("in_app", "sent", "svc")]


async def test_a_failing_provider_is_tried_again_and_holds_up_no_other_message(
    engine: Engine,
) -> None:
    await _chat_room(engine)
    minute = {"type": "regular", "amount": 1, "unit": "minutes"}
    workflow = await engine.workflow(CHAT, HELLO, ("delay", minute), HELLO)
    engine.wire.answer = lambda request: Response(status=503, headers={}, body=b"")
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["delayed", "completed", "pending", "pending"]]
    await engine.pass_time(seconds=30)
    assert len(engine.wire.calls) == 2
    engine.wire.answer = lambda request: Response(status=200, headers={}, body=b"{}")
    await engine.pass_time(minutes=2)
    assert await engine.statuses() == [["completed", "completed", "delayed", "pending"]]
    await engine.pass_time(minutes=2)
    assert await engine.statuses() == [["completed"] * 4]
    assert len(await engine.messages()) == 3


async def test_messages_that_are_to_be_sent_again_wait_for_one_timer(engine: Engine) -> None:
    """Each on its own would let two workers have one run in hand."""
    await _chat_room(engine)
    minute = {"type": "regular", "amount": 1, "unit": "minutes"}
    workflow = await engine.workflow(CHAT, CHAT, CHAT, ("delay", minute), HELLO)
    answers = iter([503, 200, 429])
    engine.wire.answer = lambda request: Response(
        status=next(answers), headers={"retry-after": "60"}, body=b"{}"
    )
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["delayed", "completed", "queued", "pending", "pending"]]
    await engine.pass_time(seconds=59)
    assert len(engine.wire.calls) == 3
    engine.wire.answer = lambda request: Response(status=200, headers={}, body=b"{}")
    await engine.pass_time(seconds=2)
    assert len(engine.wire.calls) == 5
    assert (await engine.statuses())[0][:4] == ["completed"] * 3 + ["delayed"]
    await engine.pass_time(minutes=2)
    assert await engine.statuses() == [["completed"] * 5]
    assert len(await engine.messages()) == 4


async def test_a_fault_in_one_step_does_not_keep_the_message_before_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _chat_room(engine)
    unwanted = deciding._is_unwanted

    def faulty(run: Any, position: int, now: Any) -> bool:
        if position == 1:
            raise RuntimeError
        return unwanted(run, position, now)

    monkeypatch.setattr(deciding, "_is_unwanted", faulty)
    await engine.trigger(await engine.workflow(CHAT, CHAT, CHAT))
    await engine.work()
    assert await engine.statuses() == [["completed", "failed", "canceled"]]
    assert len(engine.wire.calls) == 1


async def test_a_provider_that_never_recovers_fails_the_job_and_not_the_run(engine: Engine) -> None:
    await _chat_room(engine)
    workflow = await engine.workflow(CHAT, HELLO)
    engine.wire.answer = lambda request: Response(status=503, headers={}, body=b"")
    await engine.trigger(workflow)
    await engine.work()
    for _ in range(10):
        await engine.pass_time(minutes=20)
    assert len(engine.wire.calls) == 8
    assert await engine.statuses() == [["failed", "completed"]]


async def test_a_throttle_lets_the_first_pass(engine: Engine) -> None:
    workflow = await engine.workflow(
        ("throttle", {"type": "fixed", "amount": 1, "unit": "hours", "threshold": 2}), HELLO
    )
    for _ in range(5):
        await engine.trigger(workflow)
    await engine.work()
    passed = [["completed", "completed"]] * 2
    assert await engine.statuses() == passed + [["skipped", "skipped"]] * 3
    await engine.pass_time(hours=1)
    await engine.trigger(workflow)
    await engine.work()
    assert (await engine.statuses())[-1] == ["completed", "completed"]


async def test_a_step_is_skipped_when_its_condition_holds(engine: Engine) -> None:
    rule = {"==": [{"var": "payload.plan"}, "free"]}
    workflow = await engine.workflow(("in_app", {"body": "x", "skip": rule}), HELLO)
    await engine.trigger(workflow, payload={"plan": "free"})
    await engine.trigger(workflow, payload={"plan": "pro"})
    await engine.work()
    assert await engine.statuses() == [["canceled", "completed"], ["completed", "completed"]]
    assert "Step was filtered based on steps filters" in await engine.details()


async def test_a_worker_that_died_is_replaced(engine: Engine) -> None:
    await _chat_room(engine)
    workflow = await engine.workflow(CHAT)
    await engine.trigger(workflow)
    await engine.work()
    assert await engine.statuses() == [["completed"]]
    async with engine.database.connection() as connection:
        await connection.execute("UPDATE jobs SET status = 'running', worker_id = 'gone'")
    await engine.sweeper.take_back()
    await engine.fan_out.settle()
    assert await engine.statuses() == [["completed"]]
    assert len(engine.wire.calls) == 2
    assert len(await engine.messages()) == 1
    ids = {request_id(call) for call in engine.wire.calls}
    assert len(ids) == 1, "the repetition carries the same idempotency key"


def request_id(call: Any) -> str:
    return str(call.body)


async def test_a_topic_reaches_its_members_once(engine: Engine) -> None:
    workflow = await engine.workflow(HELLO)
    await engine.trigger(await engine.workflow(HELLO, key="setup"), ["a", "b", "c", "d"])
    await engine.work()
    async with engine.database.connection() as connection:
        for topic in ("one", "two"):
            await connection.execute(
                "INSERT INTO topics (id, organization_id, environment_id, key, created_at, "
                "updated_at) VALUES ($1, $2, $3, $1, now(), now())",
                topic,
                engine.scope.organization_id,
                engine.scope.environment_id,
            )
        await connection.execute(
            "INSERT INTO topic_subscriptions (id, environment_id, topic_id, subscriber_id, "
            "identifier, created_at) SELECT t.id || s.id, $1, t.id, s.id, s.id, now() "
            "FROM topics AS t, subscribers AS s WHERE t.id = 'one' OR s.key = 'd'",
            engine.scope.environment_id,
        )
        await connection.execute("DELETE FROM notifications")
    to = {
        "subscribers": [{"subscriberId": "a"}],
        "topics": [{"key": "one", "exclude": ["b"]}, {"key": "two"}],
    }
    await engine.trigger(workflow, to, actor={"subscriberId": "c"})
    await engine.work()
    reached = await engine.rows(
        "SELECT s.key, n.topics FROM notifications AS n JOIN subscribers AS s "
        "ON s.id = n.subscriber_id ORDER BY s.key"
    )
    assert [key for key, _ in reached] == ["a", "d"]
    topics = msgspec.json.decode(reached[1][1])
    assert [each["topicKey"] for each in topics] == ["one", "two"]


async def test_a_broadcast_reaches_everyone(engine: Engine) -> None:
    setup = await engine.workflow(HELLO, key="setup")
    for start in range(0, 1200, 100):
        await engine.trigger(setup, [f"s{number}" for number in range(start, start + 100)])
    await engine.work()
    workflow = await engine.workflow(HELLO)
    await engine.trigger(workflow, {"everyone": True})
    await engine.work()
    ((count,),) = await engine.rows(
        "SELECT count(*) FROM notifications WHERE workflow_id = $1", workflow
    )
    assert count == 1200


async def test_a_result_that_cannot_be_saved_is_sent_for_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database goes away between the provider's answer and our note of it."""
    await _chat_room(engine)
    await engine.trigger(await engine.workflow(CHAT))
    save, failures = runs.change_jobs, [ConnectionError("gone")]

    async def fail_once(*arguments: Any) -> None:
        if failures:
            raise failures.pop()
        await save(*arguments)

    monkeypatch.setattr(runs, "change_jobs", fail_once)
    await engine.work()
    assert await engine.statuses() == [["running"]]
    await engine.sweeper.take_back()
    await engine.fan_out.settle()
    assert await engine.statuses() == [["completed"]]
    assert len(await engine.messages()) == 1


async def test_a_fault_in_one_run_leaves_the_others_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = await engine.workflow(HELLO)
    await engine.trigger(workflow, ["ada", "bob"])
    walk = deciding.walk

    def trip(run: Any, *arguments: Any) -> Any:
        if run.subscriber.key == "ada":
            raise ZeroDivisionError
        return walk(run, *arguments)

    monkeypatch.setattr(deciding, "walk", trip)
    await engine.work()
    assert await engine.statuses("ada") == [["failed"]]
    assert await engine.statuses("bob") == [["completed"]]
