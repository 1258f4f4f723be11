"""The published Novu client for Python does every operation on a subscriber's inbox."""

import asyncio
import base64
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from novu_py import Novu, models

from tests.seeds import add_message, add_workflow
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.storage import subscribers
from tidings.storage.database import Database
from tidings.world import World

BUTTONS = {"action": {"status": "pending", "buttons": [{"type": "primary", "content": "Go"}]}}
ADA: Any = {"subscriber_id": "ada"}


def asked(**more: Any) -> Any:
    return {**ADA, **more}


@pytest.fixture
async def message(database: Database, scope: Scope, world: World) -> str:
    async with database.transaction() as tx:
        id, now = world.ids.new(), world.clock.now()
        await subscribers.put(tx, scope, id, Profile(key="ada", first_name="Ada"), now)
    workflow = await add_workflow(database, scope, "orders")
    values: Any = {"cta": BUTTONS, "tags": ["shop"], "data": {"order": 7}, "subject": "Order"}
    return await add_message(database, scope, id, workflow, severity="high", **values)


async def test_list_and_count(novu: Novu, message: str) -> None:
    def work() -> None:
        notes = novu.subscribers.notifications
        page = notes.list(
            request=asked(
                limit=5,
                read=False,
                severity=["high", "low"],
                data='{"order": 7}',
                created_gte=1,
            )
        ).result
        (shown,) = page.data
        assert (shown.id, shown.severity, shown.to.first_name) == (message, "high", "Ada")
        assert shown.workflow is not None
        assert shown.primary_action is not None
        assert (shown.workflow.identifier, shown.primary_action.label) == ("orders", "Go")
        assert page.has_more is False
        (count,) = notes.count(**ADA, filters='[{"read": false}]').result
        assert (count.count, count.filter_) == (1, {"read": False})

    await asyncio.to_thread(work)


async def test_every_change_of_one(novu: Novu, message: str) -> None:
    def work() -> None:
        notes = novu.subscribers.notifications
        one: Any = {**ADA, "notification_id": message}
        assert notes.mark_as_read(**one).result.is_read
        assert not notes.mark_as_unread(**one).result.is_read
        assert notes.archive(**one).result.is_archived
        assert not notes.unarchive(**one).result.is_archived
        until = datetime.now(UTC) + timedelta(hours=1)
        snooze = models.SnoozeSubscriberNotificationDto(snooze_until=until)
        late: Any = {**one, "snooze_subscriber_notification_dto": snooze}
        assert notes.snooze(request=late).result.is_snoozed
        assert not notes.unsnooze(**one).result.is_snoozed
        action: Any = {**one, "action_type": "primary"}
        done = notes.complete_action(request=action).result.primary_action
        assert done is not None
        assert done.is_completed
        back = notes.revert_action(request=action).result.primary_action
        assert back is not None
        assert not back.is_completed
        notes.delete(**one)
        with pytest.raises(models.ErrorDto):
            notes.mark_as_read(**one)

    await asyncio.to_thread(work)


async def test_changes_of_many(novu: Novu, message: str) -> None:
    def work() -> None:
        notes = novu.subscribers.notifications
        everything = models.UpdateAllSubscriberNotificationsDto()
        seen = models.MarkSubscriberNotificationsAsSeenDto(notification_ids=[message])
        body: Any = {**ADA, "update_all_subscriber_notifications_dto": everything}
        notes.mark_as_seen(**ADA, mark_subscriber_notifications_as_seen_dto=seen)
        notes.mark_all_as_read(**body)
        notes.archive_all_read(**body)
        notes.archive_all(**body)
        (shown,) = notes.list(request=asked(archived=True)).result.data
        assert shown.is_archived
        notes.delete_all(**body)
        assert notes.list(request=ADA).result.data == []

    await asyncio.to_thread(work)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_the_older_operations(novu: Novu, message: str) -> None:
    def work() -> None:
        notes, old = novu.subscribers.notifications, novu.subscribers.messages
        payload = base64.b64encode(b"{}").decode()
        feed = notes.feed(request=asked(limit=5, page=0, payload=payload)).result
        assert [item.id for item in feed.data] == [message]
        assert notes.unseen_count(**ADA).result.count == 1
        as_read = models.MessageMarkAsRequestDto(
            message_id=message, mark_as=models.MessageMarkAsRequestDtoMarkAs.READ
        )
        (marked,) = old.mark_all_as(**ADA, message_mark_as_request_dto=as_read).result
        assert (marked.id, marked.read) == (message, True)
        unread = models.MarkAllMessageAsRequestDto(mark_as=models.MarkAs.UNREAD)
        assert old.mark_all(**ADA, mark_all_message_as_request_dto=unread).result == 1
        done = models.MarkMessageActionAsSeenDto(
            status=models.MarkMessageActionAsSeenDtoStatus.DONE
        )
        shown = old.update_as_seen(
            request=asked(message_id=message, type="primary", mark_message_action_as_seen_dto=done)
        ).result
        assert shown.cta.action is not None
        assert shown.cta.action.status == "done"

    await asyncio.to_thread(work)
