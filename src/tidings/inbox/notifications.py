"""The messages of the inbox: list, count, and everything a subscriber does with them."""

from typing import Annotated

import msgspec
from litestar import delete, get, patch, post
from litestar.params import JSONBody, PathParameter, QueryParameter

from tidings.actions import inbox as actions
from tidings.domain.inbox import ActionType
from tidings.hall.given import Conn, InWorld, Tx
from tidings.hall.inbox_filters import IN_PAGES, InInboxPage, MatchingIn, SeenIn, counts_in
from tidings.hall.inbox_shapes import (
    CountOut,
    InboxNotificationOut,
    InboxPageOut,
    SnoozeIn,
    counts_of,
    page_of,
)
from tidings.hall.wire import PageOut
from tidings.inbox.auth import ByVisitor, OfSubscriber

ById = Annotated[str, PathParameter(name="notificationId")]
"""`id`: the message's, in the path."""
_ONE = "/notifications/{notificationId:str}"


class ActionIn(msgspec.Struct, kw_only=True, rename="camel"):
    action_type: ActionType


class CountsOut(PageOut, frozen=True, kw_only=True):
    data: list[CountOut]


@get("/notifications", summary="List notifications", dependencies=IN_PAGES)
async def list_inbox_notifications(
    conn: Conn, visitor: ByVisitor, subscriber: OfSubscriber, asked: InInboxPage
) -> InboxPageOut:
    """Newest first."""
    return await page_of(conn, visitor.scope, subscriber, asked)


@get("/notifications/count", summary="Count notifications")
async def count_inbox_notifications(
    conn: Conn,
    visitor: ByVisitor,
    filters: Annotated[str, QueryParameter(description="JSON list of filters.")] = "",
) -> CountsOut:
    """How many pass each filter, up to 100, in the order of the filters."""
    found = await counts_of(conn, visitor.scope, visitor.subscriber_id, counts_in(filters))
    return CountsOut(data=found)


@patch(f"{_ONE}/read", summary="Mark as read")
async def read_inbox_notification(
    id: ById, tx: Tx, visitor: ByVisitor, subscriber: OfSubscriber, world: InWorld
) -> InboxNotificationOut:
    found = await actions.mark(tx, visitor.scope, world, subscriber.id, id, "read")
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/unread", summary="Mark as unread")
async def unread_inbox_notification(
    id: ById, tx: Tx, visitor: ByVisitor, subscriber: OfSubscriber, world: InWorld
) -> InboxNotificationOut:
    found = await actions.mark(tx, visitor.scope, world, subscriber.id, id, "unread")
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/archive", summary="Archive")
async def archive_inbox_notification(
    id: ById, tx: Tx, visitor: ByVisitor, subscriber: OfSubscriber, world: InWorld
) -> InboxNotificationOut:
    found = await actions.mark(tx, visitor.scope, world, subscriber.id, id, "archived")
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/unarchive", summary="Take out of the archive")
async def unarchive_inbox_notification(
    id: ById, tx: Tx, visitor: ByVisitor, subscriber: OfSubscriber, world: InWorld
) -> InboxNotificationOut:
    found = await actions.mark(tx, visitor.scope, world, subscriber.id, id, "unarchived")
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/snooze", summary="Snooze")
async def snooze_inbox_notification(
    id: ById,
    data: JSONBody[SnoozeIn],
    tx: Tx,
    visitor: ByVisitor,
    subscriber: OfSubscriber,
    world: InWorld,
) -> InboxNotificationOut:
    """Hides it until then; it comes back as new."""
    until = data.snooze_until
    found = await actions.snooze(tx, visitor.scope, world, subscriber.id, id, until)
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/unsnooze", summary="End a snooze")
async def unsnooze_inbox_notification(
    id: ById, tx: Tx, visitor: ByVisitor, subscriber: OfSubscriber, world: InWorld
) -> InboxNotificationOut:
    """Shows it again as it was."""
    found = await actions.unsnooze(tx, visitor.scope, world, subscriber.id, id)
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/complete", summary="Complete an action")
async def complete_inbox_action(
    id: ById,
    data: JSONBody[ActionIn],
    tx: Tx,
    visitor: ByVisitor,
    subscriber: OfSubscriber,
    world: InWorld,
) -> InboxNotificationOut:
    kind = data.action_type
    found = await actions.act(tx, visitor.scope, world, subscriber.id, id, kind, done=True)
    return InboxNotificationOut.of(found, subscriber)


@patch(f"{_ONE}/revert", summary="Revert an action")
async def revert_inbox_action(
    id: ById,
    data: JSONBody[ActionIn],
    tx: Tx,
    visitor: ByVisitor,
    subscriber: OfSubscriber,
    world: InWorld,
) -> InboxNotificationOut:
    kind = data.action_type
    found = await actions.act(tx, visitor.scope, world, subscriber.id, id, kind, done=False)
    return InboxNotificationOut.of(found, subscriber)


@delete([_ONE, f"{_ONE}/delete"], summary="Delete a notification")
async def delete_inbox_notification(id: ById, tx: Tx, visitor: ByVisitor, world: InWorld) -> None:
    await actions.remove(tx, visitor.scope, world, visitor.subscriber_id, id)


@post("/notifications/seen", summary="Mark many as seen", status_code=204)
async def see_inbox_notifications(
    data: JSONBody[SeenIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> None:
    await actions.mark_many(
        tx,
        visitor.scope,
        world,
        visitor.subscriber_id,
        data.filter(),
        "seen",
        data.notification_ids,
    )


@post("/notifications/read", summary="Mark all as read", status_code=204)
async def read_inbox_notifications(
    data: JSONBody[MatchingIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> None:
    which = data.filter(read=False)
    await actions.mark_many(tx, visitor.scope, world, visitor.subscriber_id, which, "read")


@post("/notifications/archive", summary="Archive all", status_code=204)
async def archive_inbox_notifications(
    data: JSONBody[MatchingIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> None:
    which = data.filter()
    await actions.mark_many(tx, visitor.scope, world, visitor.subscriber_id, which, "archived")


@post("/notifications/read-archive", summary="Archive what is read", status_code=204)
async def archive_read_inbox_notifications(
    data: JSONBody[MatchingIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> None:
    which = data.filter(read=True)
    await actions.mark_many(tx, visitor.scope, world, visitor.subscriber_id, which, "archived")


@post("/notifications/delete", summary="Delete all", status_code=204)
async def delete_inbox_notifications(
    data: JSONBody[MatchingIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> None:
    """Except those that are snoozed."""
    await actions.remove_many(tx, visitor.scope, world, visitor.subscriber_id, data.filter())


HANDLERS = [
    list_inbox_notifications,
    count_inbox_notifications,
    read_inbox_notification,
    unread_inbox_notification,
    archive_inbox_notification,
    unarchive_inbox_notification,
    snooze_inbox_notification,
    unsnooze_inbox_notification,
    complete_inbox_action,
    revert_inbox_action,
    delete_inbox_notification,
    see_inbox_notifications,
    read_inbox_notifications,
    archive_inbox_notifications,
    archive_read_inbox_notifications,
    delete_inbox_notifications,
]
