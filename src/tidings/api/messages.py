"""Messages: what channel steps produced."""

from typing import Annotated, Any

from litestar import Request, delete, get
from litestar.params import PathParameter, QueryParameter
from msgspec import UNSET, UnsetType, field

from tidings.actions import messages as actions
from tidings.api.steps_shown import MessageWorkflowOut
from tidings.api.subscribers import RemovedOut, SubscriberOut
from tidings.dialect import Dialect
from tidings.domain.activities import Delivered
from tidings.domain.channels import Channel
from tidings.domain.messages import MessageStatus
from tidings.domain.scope import Scope
from tidings.hall.given import ByCaller, Conn, InDialect, InWorld, Tx
from tidings.hall.pages import After, Before, Limit, Number, NumberedPageOut, several, span, window
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import messages, notifications

_TAGS = ["Messages"]
LARGEST_LIMIT = 1000


class MessageOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    template_id: Id = field(name="_templateId")
    environment_id: Id = field(name="_environmentId")
    message_template_id: Id = field(name="_messageTemplateId")
    organization_id: Id = field(name="_organizationId")
    notification_id: Id = field(name="_notificationId")
    subscriber_id: Id = field(name="_subscriberId")
    subscriber: SubscriberOut | UnsetType = UNSET
    template: MessageWorkflowOut | UnsetType = UNSET
    template_identifier: str | UnsetType = UNSET
    created_at: Timestamp
    delivered_at: list[Timestamp] | UnsetType = UNSET
    last_seen_date: Timestamp | UnsetType = UNSET
    last_read_date: Timestamp | UnsetType = UNSET
    content: str | list[dict[str, Any]] | UnsetType = UNSET
    transaction_id: str
    subject: str | UnsetType = UNSET
    channel: Channel
    read: bool
    seen: bool
    snoozed_until: Timestamp | UnsetType = UNSET
    email: str | UnsetType = UNSET
    phone: str | UnsetType = UNSET
    direct_webhook_url: str | UnsetType = UNSET
    provider_id: str | UnsetType = UNSET
    device_tokens: list[str] | UnsetType = UNSET
    title: str | UnsetType = UNSET
    cta: dict[str, Any]
    status: MessageStatus
    error_id: str | UnsetType = UNSET
    error_text: str | UnsetType = UNSET
    payload: dict[str, Any] | UnsetType = UNSET
    overrides: dict[str, Any] | UnsetType = UNSET
    context_keys: list[str] | UnsetType = UNSET

    @classmethod
    def of(cls, delivered: Delivered, scope: Scope, dialect: Dialect) -> "MessageOut":
        message, workflow = delivered.message, delivered.workflow
        address = message.address
        payload: Any = unless_none(delivered.payload)
        overrides: Any = unless_none(delivered.overrides)
        return cls(
            id=message.id,
            template_id=message.workflow_id,
            environment_id=scope.environment_id,
            message_template_id=message.step_id,
            organization_id=scope.organization_id,
            notification_id=message.notification_id,
            subscriber_id=message.subscriber_id,
            subscriber=_subscriber(delivered, scope, dialect),
            template=MessageWorkflowOut.of(workflow) if workflow else UNSET,
            template_identifier=workflow.key if workflow else UNSET,
            created_at=iso(message.created_at),
            delivered_at=[iso(moment) for moment in message.delivered_at] or UNSET,
            last_seen_date=iso(delivered.last_seen_at) if delivered.last_seen_at else UNSET,
            last_read_date=iso(delivered.last_read_at) if delivered.last_read_at else UNSET,
            content=_content(message.content),
            transaction_id=message.transaction_id,
            subject=unless_none(message.subject),
            channel=message.channel,
            read=delivered.read,
            seen=delivered.seen,
            snoozed_until=iso(delivered.snoozed_until) if delivered.snoozed_until else UNSET,
            email=address.get("email", UNSET),
            phone=address.get("phone", UNSET),
            direct_webhook_url=address.get("webhookUrl", UNSET),
            provider_id=dialect.spell(message.provider_id) if message.provider_id else UNSET,
            device_tokens=address.get("deviceTokens", UNSET),
            title=message.subject if message.subject and message.channel == "push" else UNSET,
            cta=message.cta,
            status=message.status,
            error_id=unless_none(message.error_id),
            error_text=unless_none(message.error_text),
            payload=payload,
            overrides=overrides,
            context_keys=list(message.context_keys) or UNSET,
        )


class MessagePageOut(NumberedPageOut, frozen=True, kw_only=True):
    total_count: int | UnsetType = UNSET
    data: list[MessageOut]


@get("/v1/messages", tags=_TAGS, summary="List messages")
async def list_messages(
    request: Request[Any, Any, Any],
    conn: Conn,
    caller: ByCaller,
    dialect: InDialect,
    channel: Annotated[Channel | None, QueryParameter()] = None,
    subscriber_id: Annotated[str | None, QueryParameter(name="subscriberId")] = None,
    transaction_id: Annotated[list[str] | None, QueryParameter(name="transactionId")] = None,
    context_keys: Annotated[
        list[str] | None,
        QueryParameter(name="contextKeys", description="Exactly these, each `type:id`."),
    ] = None,
    after: After = None,
    before: Before = None,
    page: Number = 0,
    limit: Limit = 10,
) -> MessagePageOut:
    """Newest first. `totalCount` is exact, and left out beyond 50,000."""
    number, offset, size = window(page, limit, LARGEST_LIMIT)
    first, last = span(after, before)
    known = None
    if subscriber_id:
        known = await notifications.subscribers_matching(
            conn, caller.scope, [subscriber_id], [], None
        )
    filter = messages.Filter(
        channel=channel,
        subscriber_ids=known,
        transaction_ids=several(request, "transactionId"),
        context_keys=several(request, "contextKeys"),
        after=first,
        before=last,
    )
    found = await messages.page(conn, caller.scope, filter, offset, size)
    return MessagePageOut(
        has_more=found.more,
        page_size=size,
        page=number,
        total_count=unless_none(found.total),
        data=[MessageOut.of(each, caller.scope, dialect) for each in found.items],
    )


@delete("/v1/messages/{messageId:str}", tags=_TAGS, summary="Remove a message", status_code=200)
async def delete_message(
    id: Annotated[str, PathParameter(name="messageId")], tx: Tx, caller: ByCaller, world: InWorld
) -> RemovedOut:
    """Removes it for good, from the inbox as well."""
    await actions.remove(tx, caller.scope, world, id)
    return RemovedOut(acknowledged=True, status="deleted")


@delete(
    "/v1/messages/transaction/{transactionId:str}",
    tags=_TAGS,
    summary="Remove the messages of a transaction",
    status_code=204,
)
async def delete_transaction_messages(
    transaction_id: Annotated[str, PathParameter(name="transactionId")],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    channel: Annotated[Channel | None, QueryParameter()] = None,
) -> None:
    """Removes every message that a trigger led to, or only those of one channel."""
    await actions.remove_transaction(tx, caller.scope, world, transaction_id, channel)


def _subscriber(delivered: Delivered, scope: Scope, dialect: Dialect) -> SubscriberOut | UnsetType:
    found = delivered.subscriber
    return UNSET if found is None else SubscriberOut.of(found, scope, dialect)


def _content(content: Any) -> str | list[dict[str, Any]] | UnsetType:
    """E-mails are kept as their parts; the interface shows one text."""
    if isinstance(content, dict):
        text: str | UnsetType = content.get("html") or content.get("text") or UNSET
        return text
    return content if isinstance(content, str | list) else UNSET


HANDLERS = [list_messages, delete_message, delete_transaction_messages]
