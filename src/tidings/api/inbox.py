"""The inbox of a subscriber in the hands of a server: what its owner can do, done on its behalf."""

from typing import Annotated

from litestar import delete, get, patch, post
from litestar.params import JSONBody, PathParameter, QueryParameter

from tidings.actions import inbox as actions
from tidings.api.subscribers import ByKey
from tidings.domain.inbox import ActionType
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.inbox_filters import IN_PAGES, InInboxPage, MatchingIn, SeenIn, counts_in
from tidings.hall.inbox_shapes import (
    CountOut,
    InboxNotificationOut,
    InboxPageOut,
    SnoozeIn,
    counts_of,
    page_of,
)
from tidings.storage import subscribers

_TAGS = ["Subscriber notifications"]
_ALL = "/v2/subscribers/{subscriberId:str}/notifications"
_ONE = _ALL + "/{notificationId:str}"
_ACTION = _ONE + "/actions/{actionType:str}"

ById = Annotated[str, PathParameter(name="notificationId")]
"""`id`: the message's, in the path."""
OfAction = Annotated[ActionType, PathParameter(name="actionType")]


@get(_ALL, tags=_TAGS, summary="List a subscriber's notifications", dependencies=IN_PAGES)
async def list_subscriber_notifications(
    key: ByKey, conn: Conn, caller: ByCaller, asked: InInboxPage
) -> InboxPageOut:
    """The in-app messages of the subscriber, newest first."""
    owner = await subscribers.get(conn, caller.scope, key)
    return await page_of(conn, caller.scope, owner, asked)


@get(f"{_ALL}/count", tags=_TAGS, summary="Count a subscriber's notifications")
async def count_subscriber_notifications(
    key: ByKey,
    conn: Conn,
    caller: ByCaller,
    filters: Annotated[str, QueryParameter(description="JSON list of filters.")] = "",
) -> list[CountOut]:
    """How many pass each filter, up to 100, in the order of the filters."""
    owner = await subscribers.id_of(conn, caller.scope, key)
    return await counts_of(conn, caller.scope, owner, counts_in(filters))


@patch(f"{_ONE}/read", tags=_TAGS, summary="Mark a notification as read")
async def read_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """It is seen, too."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.mark(tx, caller.scope, world, owner.id, id, "read")
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ONE}/unread", tags=_TAGS, summary="Mark a notification as unread")
async def unread_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """It leaves the archive, too."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.mark(tx, caller.scope, world, owner.id, id, "unread")
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ONE}/archive", tags=_TAGS, summary="Archive a notification")
async def archive_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """It is read, too."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.mark(tx, caller.scope, world, owner.id, id, "archived")
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ONE}/unarchive", tags=_TAGS, summary="Take a notification out of the archive")
async def unarchive_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """It stays read."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.mark(tx, caller.scope, world, owner.id, id, "unarchived")
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ONE}/snooze", tags=_TAGS, summary="Snooze a notification")
async def snooze_subscriber_notification(
    key: ByKey,
    id: ById,
    data: JSONBody[SnoozeIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> InboxNotificationOut:
    """Hides it until then, at most 90 days; it comes back as new."""
    owner = await subscribers.get(tx, caller.scope, key)
    until = data.snooze_until
    found = await actions.snooze(tx, caller.scope, world, owner.id, id, until)
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ONE}/unsnooze", tags=_TAGS, summary="End the snooze of a notification")
async def unsnooze_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """Shows it again as it was."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.unsnooze(tx, caller.scope, world, owner.id, id)
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ACTION}/complete", tags=_TAGS, summary="Complete a notification's action")
async def complete_subscriber_action(
    key: ByKey, id: ById, action: OfAction, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """As if its subscriber had used the button; the notification is read, too."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.act(tx, caller.scope, world, owner.id, id, action, done=True)
    return InboxNotificationOut.of(found, owner)


@patch(f"{_ACTION}/revert", tags=_TAGS, summary="Revert a notification's action")
async def revert_subscriber_action(
    key: ByKey, id: ById, action: OfAction, tx: Tx, caller: ByCaller, world: InWorld
) -> InboxNotificationOut:
    """As if the button had not been used."""
    owner = await subscribers.get(tx, caller.scope, key)
    found = await actions.act(tx, caller.scope, world, owner.id, id, action, done=False)
    return InboxNotificationOut.of(found, owner)


@delete(_ONE, tags=_TAGS, summary="Delete a notification")
async def delete_subscriber_notification(
    key: ByKey, id: ById, tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """Removes it for good."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    await actions.remove(tx, caller.scope, world, owner, id)


@post(f"{_ALL}/seen", tags=_TAGS, summary="Mark notifications as seen", status_code=204)
async def see_subscriber_notifications(
    key: ByKey, data: JSONBody[SeenIn], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """Those with these ids, or all that match."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    ids = data.notification_ids
    await actions.mark_many(tx, caller.scope, world, owner, data.filter(), "seen", ids)


@post(f"{_ALL}/read", tags=_TAGS, summary="Mark all notifications as read", status_code=204)
async def read_subscriber_notifications(
    key: ByKey, data: JSONBody[MatchingIn], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """All that match."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    which = data.filter(read=False)
    await actions.mark_many(tx, caller.scope, world, owner, which, "read")


@post(f"{_ALL}/archive", tags=_TAGS, summary="Archive all notifications", status_code=204)
async def archive_subscriber_notifications(
    key: ByKey, data: JSONBody[MatchingIn], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """All that match."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    await actions.mark_many(tx, caller.scope, world, owner, data.filter(), "archived")


@post(f"{_ALL}/read-archive", tags=_TAGS, summary="Archive all notifications read", status_code=204)
async def archive_read_subscriber_notifications(
    key: ByKey, data: JSONBody[MatchingIn], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """All that match and are read."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    which = data.filter(read=True)
    await actions.mark_many(tx, caller.scope, world, owner, which, "archived")


@post(f"{_ALL}/delete", tags=_TAGS, summary="Delete all notifications", status_code=204)
async def delete_subscriber_notifications(
    key: ByKey, data: JSONBody[MatchingIn], tx: Tx, caller: ByCaller, world: InWorld
) -> None:
    """All that match, except those that are snoozed."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    await actions.remove_many(tx, caller.scope, world, owner, data.filter())


HANDLERS = [
    list_subscriber_notifications,
    count_subscriber_notifications,
    read_subscriber_notification,
    unread_subscriber_notification,
    archive_subscriber_notification,
    unarchive_subscriber_notification,
    snooze_subscriber_notification,
    unsnooze_subscriber_notification,
    complete_subscriber_action,
    revert_subscriber_action,
    delete_subscriber_notification,
    see_subscriber_notifications,
    read_subscriber_notifications,
    archive_subscriber_notifications,
    archive_read_subscriber_notifications,
    delete_subscriber_notifications,
]
