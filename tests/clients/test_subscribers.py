"""The published Novu client for Python does every subscriber operation, good and bad."""

import asyncio
from typing import Any

import novu_py
import pytest
from novu_py import Novu, models
from novu_py.utils import BackoffStrategy, RetryConfig

from tests.seeds import add_integration, add_workflow, layers
from tidings.domain.scope import Scope
from tidings.storage.database import Database

NO_RETRIES = RetryConfig("none", BackoffStrategy(1, 1, 1.0, 1), False)


def create(novu: Novu, subscriber_id: str, **more: Any) -> models.SubscriberResponseDto:
    return novu.subscribers.create(
        create_subscriber_request_dto=models.CreateSubscriberRequestDto(
            subscriber_id=subscriber_id, **more
        )
    ).result


def tokens(*given: str, provider: str = "fcm") -> models.UpdateSubscriberChannelRequestDto:
    return models.UpdateSubscriberChannelRequestDto(
        provider_id=models.ChatOrPushProviderEnum(provider),
        credentials=models.ChannelCredentials(device_tokens=list(given)),
    )


def test_create_read_change_remove(novu: Novu) -> None:
    made = create(novu, "ada", first_name="Ada", email="ada@example.com")
    assert (made.first_name, made.email) == ("Ada", "ada@example.com")
    assert create(novu, "ada", last_name="L").id == made.id
    patched = novu.subscribers.patch(
        subscriber_id="ada",
        patch_subscriber_request_dto=models.PatchSubscriberRequestDto(first_name=None),
    ).result
    assert (patched.first_name or None, patched.last_name) == (None, "L")
    assert novu.subscribers.retrieve(subscriber_id="ada").result.last_name == "L"
    online = novu.subscribers.properties.update_online_flag(
        subscriber_id="ada",
        update_subscriber_online_flag_request_dto=models.UpdateSubscriberOnlineFlagRequestDto(
            is_online=True
        ),
    ).result
    assert online.is_online is True
    assert novu.subscribers.delete(subscriber_id="ada").result.acknowledged is True
    with pytest.raises(novu_py.models.ErrorDto) as caught:
        novu.subscribers.retrieve(subscriber_id="ada")
    assert caught.value.data.status_code == 404


def test_fail_if_exists_is_read_as_the_existing_subscriber(novu: Novu) -> None:
    create(novu, "ada", first_name="Ada")
    with pytest.raises(models.SubscriberResponseDtoError) as caught:
        novu.subscribers.create(
            create_subscriber_request_dto=models.CreateSubscriberRequestDto(subscriber_id="ada"),
            fail_if_exists=True,
        )
    assert caught.value.data.first_name == "Ada"


def test_wrong_values(novu: Novu) -> None:
    with pytest.raises(models.ValidationErrorDto) as caught:
        create(novu, "ada", email="nobody")
    assert "email" in caught.value.data.errors


def test_search(novu: Novu) -> None:
    for number in range(3):
        create(novu, f"u{number}", phone="+1")
    page = novu.subscribers.search(request={"limit": 2, "phone": "+1"}).result
    assert [each.subscriber_id for each in page.data] == ["u2", "u1"]
    assert (page.total_count, page.total_count_capped) == (3, False)
    assert page.next
    rest = novu.subscribers.search(request={"limit": 2, "after": page.next}).result
    assert [each.subscriber_id for each in rest.data] == ["u0"]
    assert rest.next is None
    with pytest.raises(models.ValidationErrorDto):
        novu.subscribers.search(request={"limit": 1000})


def test_many_at_once(novu: Novu) -> None:
    create(novu, "old")
    done = novu.subscribers.create_bulk(
        bulk_subscriber_create_dto={
            "subscribers": [{"subscriber_id": "old"}, {"subscriber_id": "new"}]
        }
    ).result
    assert [each.subscriber_id for each in done.created] == ["new"]
    assert [each.subscriber_id for each in done.updated] == ["old"]


async def test_credentials(novu: Novu, database: Database, scope: Scope) -> None:
    await add_integration(database, scope, "fcm")
    await add_integration(database, scope, "svc-slack", channel="chat")
    await asyncio.to_thread(_credentials, novu)


def _credentials(novu: Novu) -> None:
    create(novu, "ada")
    kind = novu.subscribers.credentials
    kind.append(subscriber_id="ada", update_subscriber_channel_request_dto=tokens("a", "b"))
    united = kind.append(
        subscriber_id="ada", update_subscriber_channel_request_dto=tokens("b", "c")
    ).result
    assert _tokens(united) == ["a", "b", "c"]
    replaced = kind.update(
        subscriber_id="ada", update_subscriber_channel_request_dto=tokens("d")
    ).result
    assert _tokens(replaced) == ["d"]
    slack = kind.append(
        subscriber_id="ada",
        update_subscriber_channel_request_dto=tokens(provider="novu-slack"),
    ).result
    assert slack.channels
    assert [each.provider_id for each in slack.channels] == ["fcm", "novu-slack"]
    kind.delete(subscriber_id="ada", provider_id="fcm")
    left = novu.subscribers.retrieve(subscriber_id="ada").result
    assert left.channels
    assert [each.provider_id for each in left.channels] == ["novu-slack"]
    for subscriber, provider, status in (("ada", "apns", 400), ("nobody", "fcm", 404)):
        with pytest.raises(models.ErrorDto) as caught:
            kind.append(
                subscriber_id=subscriber,
                update_subscriber_channel_request_dto=tokens("x", provider=provider),
            )
        assert caught.value.data.status_code == status


def _tokens(subscriber: models.SubscriberResponseDto) -> list[str] | None:
    assert subscriber.channels
    return subscriber.channels[0].credentials.device_tokens


async def test_preferences(novu: Novu, database: Database, scope: Scope) -> None:
    await add_workflow(database, scope, "welcome")
    await add_workflow(database, scope, "alarm", layers(read_only=True))
    await asyncio.to_thread(_preferences, novu)


def _preferences(novu: Novu) -> None:
    create(novu, "ada")
    kind = novu.subscribers.preferences
    body = kind.update(
        subscriber_id="ada",
        patch_subscriber_preferences_dto=models.PatchSubscriberPreferencesDto(
            channels=models.PatchPreferenceChannelsDto(email=False), workflow_id="welcome"
        ),
    ).result
    assert body.workflows[0].channels.email is False
    assert body.global_.channels.email is True
    body = kind.update(
        subscriber_id="ada",
        patch_subscriber_preferences_dto=models.PatchSubscriberPreferencesDto(
            schedule=models.ScheduleDto(
                is_enabled=True,
                weekly_schedule=models.WeeklySchedule(
                    monday=models.Monday(
                        is_enabled=True,
                        hours=[models.TimeRangeDto(start="09:00 AM", end="05:00 PM")],
                    )
                ),
            )
        ),
    ).result
    assert body.global_.schedule
    assert body.global_.schedule.is_enabled is True
    critical = kind.list(
        subscriber_id="ada",
        criticality=models.Criticality.CRITICAL,
    ).result
    assert [each.workflow.identifier for each in critical.workflows] == ["alarm"]
    (changed,) = kind.bulk_update(
        subscriber_id="ada",
        bulk_update_subscriber_preferences_dto={
            "preferences": [{"workflow_id": "welcome", "channels": {"sms": False}}]
        },
    ).result
    assert changed.channels.sms is False
    with pytest.raises(models.ValidationErrorDto):
        kind.update(
            subscriber_id="ada",
            patch_subscriber_preferences_dto={"channels": {"sms": True}, "workflow_id": "alarm"},
        )
    for subscriber, workflow in (("nobody", "welcome"), ("ada", "nothing")):
        with pytest.raises(models.ErrorDto):
            kind.update(
                subscriber_id=subscriber,
                patch_subscriber_preferences_dto={
                    "channels": {"sms": True},
                    "workflow_id": workflow,
                },
            )


def test_topics(novu: Novu) -> None:
    create(novu, "ada")
    made = novu.topics.create(
        create_update_topic_request_dto={"key": "news", "name": "News"}
    ).result
    with pytest.raises(models.TopicResponseDtoError) as caught:
        novu.topics.create(create_update_topic_request_dto={"key": "news"}, fail_if_exists=True)
    assert caught.value.data.id == made.id
    renamed = novu.topics.update(
        topic_key="news", update_topic_request_dto={"name": "Old news"}
    ).result
    assert novu.topics.get(topic_key="news").result == renamed
    done = novu.topics.subscriptions.create(
        topic_key="news",
        create_topic_subscriptions_request_dto={"subscriptions": ["ada", "nobody"]},
    ).result
    assert (done.meta.successful, done.meta.failed) == (1, 1)
    members = novu.topics.subscriptions.list(request={"topic_key": "news"}).result
    assert [each.subscriber.subscriber_id for each in members.data] == ["ada"]
    mine = novu.subscribers.topics.list(request={"subscriber_id": "ada"}).result
    assert [each.topic.key for each in mine.data] == ["news"]
    gone = novu.topics.subscriptions.delete(
        topic_key="news", delete_topic_subscriptions_request_dto={"subscriptions": ["ada"]}
    ).result
    assert gone.meta.successful == 1
    assert novu.topics.list(request={"key": "news"}).result.total_count == 1
    assert novu.topics.delete(topic_key="news").result.acknowledged is True
    with pytest.raises(models.ErrorDto):
        novu.topics.get(topic_key="news")
