"""Triggers, messages and notifications as the published Python client sees them."""

import pytest
from novu_py import Novu, models
from novu_py.utils import BackoffStrategy, RetryConfig

from tests.conftest import API_KEY
from tests.records import Records
from tidings.domain.scope import Scope
from tidings.storage.database import Database
from tidings.world import World

NO_RETRIES = RetryConfig("none", BackoffStrategy(1, 1, 1.0, 1), False)


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


@pytest.fixture
def novu(address: str) -> Novu:
    return Novu(secret_key=API_KEY, server_url=address, retry_config=NO_RETRIES)


async def test_trigger_repeat_and_cancel(novu: Novu, records: Records) -> None:
    await records.workflow()
    sent = models.TriggerEventRequestDto(
        workflow_id="welcome",
        to=[
            "ada",
            models.SubscriberPayloadDto(subscriber_id="bob", email="bob@example.com"),
            models.TopicPayloadDto(type=models.TriggerRecipientsTypeEnum.TOPIC, topic_key="posts"),
        ],
        payload={"n": 1},
        transaction_id="order-1",
        context={"team": "red"},
    )
    for _ in range(2):
        answer = (await novu.trigger_async(trigger_event_request_dto=sent)).result
        assert answer.status == "processed"
        assert answer.transaction_id == "order-1"
    assert (await novu.cancel_async(transaction_id="order-1")).result is True
    assert (await novu.cancel_async(transaction_id="order-1")).result is False
    assert (await novu.cancel_async(transaction_id="unknown")).result is False


async def test_bulk_and_broadcast(novu: Novu, records: Records) -> None:
    await records.workflow()
    answers = await novu.trigger_bulk_async(
        bulk_trigger_event_dto={
            "events": [
                {"workflow_id": "welcome", "to": "ada"},
                {"workflow_id": "nope", "to": "ada"},
            ]
        }
    )
    assert [answer.status for answer in answers.result] == ["processed", "error"]
    assert answers.result[1].error == ["workflow_not_found"]
    everyone = await novu.trigger_broadcast_async(
        trigger_event_to_all_request_dto={"name": "welcome", "payload": {}}
    )
    assert everyone.result.status == "processed"


async def test_refusals_are_understood(novu: Novu, records: Records) -> None:
    schema = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    await records.workflow(validate_payload=True, payload_schema=schema)
    with pytest.raises(models.PayloadValidationExceptionDto) as refused:
        await novu.trigger_async(trigger_event_request_dto={"workflow_id": "welcome", "to": "a"})
    assert refused.value.data.errors[0].field == "name"
    with pytest.raises(models.ValidationErrorDto) as unknown:
        await novu.trigger_async(trigger_event_request_dto={"workflow_id": "nope", "to": "a"})
    assert unknown.value.data.message == "workflow_not_found"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the client, about its own fields
async def test_messages_and_notifications(novu: Novu, records: Records) -> None:
    steps = [
        records.step("in_app", "inbox", body="Hello"),
        records.step("digest", "collect", amount=1, unit="hours", digestKey="payload.n"),
        records.step("delay", "wait", amount=1, unit="days"),
        records.step("throttle", "limit", amount=1, unit="hours"),
        records.step("email", "mail", subject="Hi", body="Hello"),
    ]
    workflow = await records.workflow(steps=steps)
    subscriber = await records.subscriber(first_name="Ada", email="ada@example.com", data={"a": 1})
    event = await records.event(workflow, "txn", overrides={"email": {}})
    notification, jobs = await records.run(
        workflow,
        subscriber,
        ["completed", "delayed", "pending", "pending", "pending"],
        event_id=event,
        topics=[{"_topicId": records.id(), "topicKey": "posts"}],
    )
    message = await records.message(
        notification,
        jobs[0],
        workflow,
        subscriber,
        event_id=event,
        provider_id="svc",
        address={"deviceTokens": ["t"]},
        delivered_at=[records.world.clock.now()],
        context_keys=["team:red"],
    )
    listed = (await novu.messages.retrieve_async(request={"transaction_id": ["txn"]})).result
    (shown,) = listed.data
    assert shown.id == message
    assert shown.provider_id == "novu"
    assert shown.subscriber
    assert shown.template
    assert shown.subscriber.subscriber_id == "ada"
    assert shown.template.triggers[0].identifier == "welcome"
    assert shown.payload == {"n": 1}
    asked = models.NotificationsControllerListNotificationsRequest(
        channels=[models.ChannelTypeEnum.EMAIL]
    )
    found = (await novu.notifications.list_async(request=asked)).result
    assert [each.id for each in found.data] == [notification]
    one = (await novu.notifications.retrieve_async(notification_id=notification)).result
    assert one.jobs
    assert one.template
    assert [job.type for job in one.jobs] == [step.type for step in steps]
    assert {job.provider_id for job in one.jobs} == {"novu"}
    assert one.template.origin == "novu-cloud"
    assert (await novu.messages.delete_async(message_id=message)).result.status == "deleted"
