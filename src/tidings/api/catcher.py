"""The catcher: what development kept instead of sending."""

import asyncio
from typing import Annotated, Any

from litestar import delete, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import catching as actions
from tidings.domain.catching import MOST_KEPT, Attached, Caught
from tidings.domain.channels import Channel
from tidings.hall.given import ByCaller, Conn, InDatabase, InWorld, Tx
from tidings.hall.pages import Limit, Number, NumberedPageOut, window
from tidings.hall.query import whole
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import catching
from tidings.storage.catching import Filter

_TAGS = ["Catcher"]
_LONGEST_WAIT = 30
_LOOK_AGAIN_SECONDS = 0.2


class AttachmentOut(Out, frozen=True, kw_only=True):
    name: str
    mime: str
    size: int

    @classmethod
    def of(cls, attached: Attached) -> "AttachmentOut":
        return cls(name=attached.name, mime=attached.mime, size=attached.size)


class CaughtOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    channel: Channel
    to: list[str]
    subject: str | UnsetType = UNSET
    html: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    headers: dict[str, Any] | UnsetType = UNSET
    attachments: list[AttachmentOut] | UnsetType = UNSET
    message_id: Id | UnsetType = UNSET
    transaction_id: str | UnsetType = UNSET
    subscriber_id: str | UnsetType = UNSET
    created_at: Timestamp

    @classmethod
    def of(cls, caught: Caught) -> "CaughtOut":
        return cls(
            id=caught.id,
            channel=caught.channel,
            to=list(caught.recipients),
            subject=unless_none(caught.subject),
            html=unless_none(caught.html),
            text=unless_none(caught.text),
            content=unless_none(caught.content),
            headers=caught.headers or UNSET,
            attachments=[AttachmentOut.of(each) for each in caught.attachments] or UNSET,
            message_id=unless_none(caught.message_id),
            transaction_id=unless_none(caught.transaction_id),
            subscriber_id=unless_none(caught.subscriber_key),
            created_at=iso(caught.created_at),
        )


class CaughtPageOut(NumberedPageOut, frozen=True, kw_only=True):
    data: list[CaughtOut]


def asked_for(
    channel: Annotated[Channel | None, QueryParameter()] = None,
    to: Annotated[str | None, QueryParameter(description="One of its recipients.")] = None,
    subject: Annotated[str | None, QueryParameter(description="A part of its subject.")] = None,
    transaction_id: Annotated[str | None, QueryParameter(name="transactionId")] = None,
    subscriber_id: Annotated[str | None, QueryParameter(name="subscriberId")] = None,
) -> Filter:
    return Filter(
        channel=channel,
        to=to or None,
        subject=subject or None,
        transaction_id=transaction_id or None,
        subscriber_key=subscriber_id or None,
    )


_FILTERED = {"filter": Provide(asked_for, sync_to_thread=False)}
InFilter = NamedDependency[Filter]


@get("/v1/catcher/messages", tags=_TAGS, summary="List caught messages", dependencies=_FILTERED)
async def list_caught_messages(
    database: InDatabase,
    caller: ByCaller,
    filter: InFilter,
    wait: Annotated[
        float,
        QueryParameter(
            description=f"Seconds to wait until something matches, up to {_LONGEST_WAIT}; then "
            "whatever is there is answered."
        ),
    ] = 0,
    page: Number = 0,
    limit: Limit = 10,
) -> CaughtPageOut:
    """Newest first. Waiting holds no database connection."""
    number, offset, size = window(page, limit, MOST_KEPT)
    looks = whole("wait", wait, 0, _LONGEST_WAIT) / _LOOK_AGAIN_SECONDS
    while True:
        async with database.connection() as connection:
            found = await catching.newest(connection, caller.scope, filter, offset, size + 1)
        if found or looks < 1:
            break
        looks -= 1
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)
    return CaughtPageOut(
        has_more=len(found) > size,
        page_size=size,
        page=number,
        data=[CaughtOut.of(each) for each in found[:size]],
    )


@get("/v1/catcher/messages/{id:str}", tags=_TAGS, summary="Retrieve a caught message")
async def get_caught_message(id: FromPath[str], conn: Conn, caller: ByCaller) -> CaughtOut:
    """By its own `_id` or by the `_id` of the message."""
    return CaughtOut.of(await catching.get(conn, caller.scope, id))


@delete(
    "/v1/catcher/messages",
    tags=_TAGS,
    summary="Remove caught messages",
    status_code=204,
    dependencies=_FILTERED,
)
async def delete_caught_messages(
    tx: Tx, caller: ByCaller, world: InWorld, filter: InFilter
) -> None:
    """All of them, or those that match."""
    await actions.remove(tx, caller.scope, world, filter)


HANDLERS = [list_caught_messages, get_caught_message, delete_caught_messages]
