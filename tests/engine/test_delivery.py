"""One job on its way outside: what its proof says, and what others say meanwhile."""

from typing import Any

import msgspec

from tests.engine.conftest import EMAIL, Engine, Step
from tidings.domain.deliveries import Event
from tidings.providers.exchange import Encoded, Response
from tidings.storage import deliveries
from tidings.storage.deliveries import Source

PUSH: Step = ("push", {"subject": "Hi", "body": "Tea"})


async def devices(engine: Engine, provider_id: str, *tokens: str, **credentials: Any) -> str:
    """The integration of a subscriber with these devices."""
    integration = await engine.integration(provider_id, **credentials)
    await engine.trigger(await engine.workflow(("in_app", {"body": "Tea"}), key="setup"))
    await engine.work()
    entry = {
        "providerId": provider_id,
        "_integrationId": integration,
        "credentials": {"deviceTokens": list(tokens)},
    }
    async with engine.database.connection() as connection:
        await connection.execute(
            "UPDATE subscribers SET channels = $1", msgspec.json.encode([entry]).decode()
        )
        await connection.execute("DELETE FROM notifications")
        await connection.execute("DELETE FROM messages")
    return integration


WEBHOOK = {"webhookUrl": "http://127.0.0.1:1/push", "secretKey": "k" * 8}


async def test_a_report_that_comes_while_the_job_runs_is_kept(engine: Engine) -> None:
    """One device was reached and is reported on while the other is tried again."""
    integration = await devices(engine, "push-webhook", "phone", "tablet", **WEBHOOK)
    engine.wire.answer = lambda request: Response(
        status=503 if b"tablet" in request.body else 200,  # type: ignore[operator]
        body=b'{"id": "v-phone"}',
    )
    await engine.trigger(await engine.workflow(PUSH))
    await engine.work()
    assert await engine.statuses() == [["delayed"]]

    async def answer_late(request: Encoded) -> Response:
        source = Source(engine.scope, integration, "push-webhook")
        report = Event(message_id="v-phone", happened="delivered", at=engine.clock.now())
        async with engine.database.transaction() as tx:
            noting = await deliveries.record(
                tx, source, [report], engine.world.ids.new, engine.clock.now()
            )
        assert len(noting.changes) == 1
        return Response(status=200, body=b'{"id": "v-tablet"}')

    engine.wire.send = answer_late  # type: ignore[method-assign]
    await engine.pass_time(seconds=30)
    assert await engine.statuses() == [["completed"]]
    lines = await engine.details()
    assert lines.count("The provider reports the message as delivered") == 1
    assert lines.count("Message sent") == 2
    assert lines[0] == "Start sending message"


ADA = [{"subscriberId": "ada", "email": "ada@example.com"}]


async def test_what_a_vendor_cannot_carry_is_said(engine: Engine) -> None:
    await engine.integration("postmark", apiKey="k" * 12, **{"from": "news@example.com"})
    taken = Response(status=200, body=b'{"MessageID": "v", "ErrorCode": 0}')
    engine.wire.answer = lambda request: taken
    workflow = await engine.workflow(EMAIL)
    await engine.trigger(workflow, ADA, overrides={"email": {"ipPoolName": "fast"}})
    await engine.work()
    assert await engine.statuses() == [["completed"]]
    assert (await engine.details())[-1] == "Postmark cannot carry IP pool: left out"
    ((status, raw),) = await engine.rows(
        "SELECT d ->> 'status', d ->> 'raw' FROM jobs, jsonb_array_elements(details) AS d "
        "WHERE d ->> 'reason' = 'not_carried'"
    )
    assert status == "Warning"
    assert msgspec.json.decode(raw) == {"notCarried": ["ip_pool"]}


async def test_a_text_that_nobody_asked_for_is_not_missed(engine: Engine) -> None:
    await engine.integration(
        "netcore", apiKey="k" * 12, **{"from": "news@example.com", "senderName": "News"}
    )
    engine.wire.answer = lambda request: Response(
        status=202, body=b'{"data": {"message_id": "v"}, "status": "success"}'
    )
    workflow = await engine.workflow(EMAIL)
    await engine.trigger(workflow, ADA)
    await engine.work()
    assert (await engine.details())[-1] == "Message sent"
    await engine.trigger(workflow, ADA, overrides={"email": {"text": "Tea!"}})
    await engine.work()
    assert "cannot carry a text beside the HTML" in (await engine.details())[-1]
