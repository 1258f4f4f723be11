"""The older way to a subscriber's in-app messages: a feed by page number, an unseen count, marks.

The operations under /v2/subscribers/{subscriberId}/notifications do the same and more.
"""

import base64
import binascii
from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import inbox as actions
from tidings.api.messages import MessageOut
from tidings.api.subscribers import ByKey
from tidings.dialect import Dialect
from tidings.domain.errors import InvalidError
from tidings.domain.inbox import ActionType, Filter, InboxMessage, Mark
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.hall.caller import Caller
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.pages import Limit, Number, NumberedPageOut, window
from tidings.hall.query import whole
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import inbox, messages, subscribers
from tidings.storage.database import Connection
from tidings.world import World

_TAGS = ["Subscriber feed"]
_OF = "/v1/subscribers/{subscriberId:str}"
LARGEST_LIMIT = 100
MOST_TOTAL = 1000


class MarkIn(msgspec.Struct):
    """As clients of the first generation send it."""

    seen: bool | None = None
    read: bool | None = None


class MarkAsIn(msgspec.Struct, kw_only=True, rename="camel"):
    message_id: str | list[str]
    mark_as: Literal["read", "seen", "unread", "unseen"] | UnsetType = UNSET
    mark: MarkIn | UnsetType = UNSET

    def marks(self) -> list[Mark]:
        if self.mark_as is not UNSET:
            return [self.mark_as]
        found: list[Mark] = []
        if self.mark is not UNSET and self.mark.seen is not None:
            found.append("seen" if self.mark.seen else "unseen")
        if self.mark is not UNSET and self.mark.read is not None:
            found.append("read" if self.mark.read else "unread")
        if not found:
            raise InvalidError.of("markAs", "must be read, seen, unread or unseen")
        return found


class MarkAllIn(msgspec.Struct, kw_only=True, rename="camel"):
    mark_as: Literal["read", "seen", "unread", "unseen"]


class ActionIn(msgspec.Struct, kw_only=True):
    status: Literal["pending", "done"]
    payload: dict[str, Any] | None = None


class FeedOwnerOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    subscriber_id: str
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    avatar: str | UnsetType = UNSET


class FeedItemOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    template_id: Id = field(name="_templateId")
    environment_id: Id = field(name="_environmentId")
    message_template_id: Id = field(name="_messageTemplateId")
    organization_id: Id = field(name="_organizationId")
    notification_id: Id = field(name="_notificationId")
    subscriber_id: Id = field(name="_subscriberId")
    job_id: Id = field(name="_jobId")
    template_identifier: str | UnsetType = UNSET
    transaction_id: str
    created_at: Timestamp
    updated_at: Timestamp
    subscriber: FeedOwnerOut
    content: str
    subject: str | UnsetType = UNSET
    channel: Literal["in_app"]
    provider_id: str | UnsetType = UNSET
    read: bool
    seen: bool
    archived: bool
    cta: dict[str, Any]
    status: Literal["sent"]
    payload: dict[str, Any] | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET
    tags: list[str]

    @classmethod
    def of(
        cls,
        message: InboxMessage,
        owner: Subscriber,
        payload: dict[str, Any] | None,
        scope: Scope,
        dialect: Dialect,
    ) -> "FeedItemOut":
        workflow = message.workflow
        return cls(
            id=message.id,
            template_id=message.workflow_id,
            environment_id=scope.environment_id,
            message_template_id=message.step_id,
            organization_id=scope.organization_id,
            notification_id=message.notification_id,
            subscriber_id=owner.id,
            job_id=message.job_id,
            template_identifier=UNSET if workflow is None else workflow.key,
            transaction_id=message.transaction_id,
            created_at=iso(message.created_at),
            updated_at=iso(message.updated_at),
            subscriber=FeedOwnerOut(
                id=owner.id,
                subscriber_id=owner.key,
                first_name=unless_none(owner.first_name),
                last_name=unless_none(owner.last_name),
                avatar=unless_none(owner.avatar),
            ),
            content=message.body,
            subject=unless_none(message.subject),
            channel="in_app",
            provider_id=dialect.spell(message.provider_id) if message.provider_id else UNSET,
            read=message.read,
            seen=message.seen,
            archived=message.archived,
            cta=message.cta,
            status="sent",
            payload=unless_none(payload),
            data=unless_none(message.data),
            tags=message.tags,
        )


class FeedOut(NumberedPageOut, frozen=True, kw_only=True):
    total_count: int
    data: list[FeedItemOut]


class UnseenOut(Out, frozen=True, kw_only=True):
    count: int


@get(f"{_OF}/notifications/feed", tags=_TAGS, summary="Read the feed", deprecated=True)
async def get_feed(
    key: ByKey,
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    page: Number = 0,
    limit: Limit = 10,
    read: Annotated[bool | None, QueryParameter()] = None,
    seen: Annotated[bool | None, QueryParameter()] = None,
    payload: Annotated[
        str | None, QueryParameter(description="Base64 of a JSON object the payload must contain.")
    ] = None,
) -> FeedOut:
    """In-app messages, newest first. `totalCount` stops at 1000."""
    number, offset, size = window(page, limit, LARGEST_LIMIT)
    owner = await subscribers.get(conn, caller.scope, key)
    filter = Filter(read=read, seen=seen, payload=_payload(payload))
    found = await inbox.feed(conn, caller.scope, owner.id, filter, size, offset, MOST_TOTAL)
    return FeedOut(
        has_more=found.more,
        page_size=size,
        page=number,
        total_count=found.total,
        data=[
            FeedItemOut.of(each, owner, payload, caller.scope, dialect)
            for each, payload in zip(found.items, found.payloads, strict=True)
        ],
    )


@get(f"{_OF}/notifications/unseen", tags=_TAGS, summary="Count what is unseen", deprecated=True)
async def get_unseen_count(
    key: ByKey,
    conn: Conn,
    caller: ByCaller,
    seen: Annotated[bool, QueryParameter(description="What to count.")] = False,
    limit: Annotated[float, QueryParameter(description="Where counting stops.")] = 100,
) -> UnseenOut:
    """How many in-app messages are not seen, or are, up to `limit`."""
    owner = await subscribers.id_of(conn, caller.scope, key)
    most = whole("limit", limit, 1, MOST_TOTAL)
    (count,) = await inbox.counts(conn, caller.scope, owner, [Filter(seen=seen)], most)
    return UnseenOut(count=count)


@post(f"{_OF}/messages/mark-as", tags=_TAGS, summary="Mark messages", deprecated=True)
async def mark_messages(
    key: ByKey,
    data: JSONBody[MarkAsIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> list[MessageOut]:
    """Marks in-app messages of the subscriber and answers them; ids of others are passed over."""
    return await _mark(key, data, tx, caller, world, dialect)


@post(f"{_OF}/messages/markAs", include_in_schema=False)
async def mark_messages_as_first_clients_do(
    key: ByKey,
    data: JSONBody[MarkAsIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> list[MessageOut]:
    return await _mark(key, data, tx, caller, world, dialect)


@post(f"{_OF}/messages/mark-all", tags=_TAGS, summary="Mark all messages", deprecated=True)
async def mark_all_messages(
    key: ByKey, data: JSONBody[MarkAllIn], tx: Tx, caller: ByCaller, world: InWorld
) -> int:
    """How many in-app messages were changed by it."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    return await actions.mark_many(tx, caller.scope, world, owner, Filter(), data.mark_as)


@post(
    f"{_OF}/messages/{{messageId:str}}/actions/{{type:str}}",
    tags=_TAGS,
    summary="Set the status of a message's action",
    deprecated=True,
)
async def set_message_action(
    key: ByKey,
    id: Annotated[str, PathParameter(name="messageId")],
    action: Annotated[ActionType, PathParameter(name="type")],
    data: JSONBody[ActionIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> MessageOut:
    """`done` when the button was used, `pending` to take that back."""
    owner = await subscribers.id_of(tx, caller.scope, key)
    done = data.status == "done"
    await actions.act(tx, caller.scope, world, owner, id, action, done, data.payload)
    (found,) = await messages.by_ids(tx, caller.scope, owner, [id])
    return MessageOut.of(found, caller.scope, dialect)


async def _mark(
    key: str, data: MarkAsIn, tx: Connection, caller: Caller, world: World, dialect: Dialect
) -> list[MessageOut]:
    owner = await subscribers.id_of(tx, caller.scope, key)
    ids = [data.message_id] if isinstance(data.message_id, str) else data.message_id
    for mark in data.marks():
        await actions.mark_many(tx, caller.scope, world, owner, Filter(), mark, ids)
    found = await messages.by_ids(tx, caller.scope, owner, ids)
    return [MessageOut.of(each, caller.scope, dialect) for each in found]


def _payload(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        return msgspec.json.decode(base64.b64decode(text), type=dict[str, Any])
    except (binascii.Error, ValueError, msgspec.MsgspecError, RecursionError):
        raise InvalidError.of("payload", "must be the base64 of a JSON object", text) from None


HANDLERS = [
    get_feed,
    get_unseen_count,
    mark_messages,
    mark_messages_as_first_clients_do,
    mark_all_messages,
    set_message_action,
]
