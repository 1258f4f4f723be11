"""A message as an inbox shows it, to its subscriber and to servers alike."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tidings.domain.inbox import ActionType, Filter, InboxMessage, Severity, Workflow, is_completed
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.hall.inbox_filters import Asked
from tidings.hall.wire import Id, Out, PageOut, Timestamp, iso, unless_none
from tidings.storage import inbox
from tidings.storage.database import Connection


class ToOut(Out, frozen=True, kw_only=True):
    id: Id
    subscriber_id: str
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    avatar: str | UnsetType = UNSET

    @classmethod
    def of(cls, subscriber: Subscriber) -> "ToOut":
        return cls(
            id=subscriber.id,
            subscriber_id=subscriber.key,
            first_name=unless_none(subscriber.first_name),
            last_name=unless_none(subscriber.last_name),
            avatar=unless_none(subscriber.avatar),
        )


class RedirectOut(Out, frozen=True, kw_only=True):
    url: str
    target: str | UnsetType = UNSET

    @classmethod
    def of(cls, place: Mapping[str, Any]) -> "RedirectOut | UnsetType":
        if not place.get("url"):
            return UNSET
        return cls(url=place["url"], target=place.get("target") or UNSET)


class ActionOut(Out, frozen=True, kw_only=True):
    label: str
    is_completed: bool
    redirect: RedirectOut | UnsetType = UNSET

    @classmethod
    def of(cls, cta: Mapping[str, Any], action: ActionType) -> "ActionOut | UnsetType":
        for button in (cta.get("action") or {}).get("buttons", ()):
            if button.get("type") == action:
                return cls(
                    label=button.get("content", ""),
                    is_completed=is_completed(cta, action),
                    redirect=RedirectOut.of(button),
                )
        return UNSET


class WorkflowOut(Out, frozen=True, kw_only=True):
    id: Id
    identifier: str
    name: str
    critical: bool
    tags: list[str]
    severity: Severity

    @classmethod
    def of(cls, workflow: Workflow) -> "WorkflowOut":
        return cls(
            id=workflow.id,
            identifier=workflow.key,
            name=workflow.name,
            critical=workflow.critical,
            tags=workflow.tags,
            severity=workflow.severity,
        )


class InboxNotificationOut(Out, frozen=True, kw_only=True):
    id: Id
    transaction_id: str
    subject: str | UnsetType = UNSET
    body: str
    to: ToOut
    is_read: bool
    is_seen: bool
    is_archived: bool
    is_snoozed: bool
    snoozed_until: Timestamp | UnsetType = UNSET
    delivered_at: list[Timestamp]
    created_at: Timestamp
    read_at: Timestamp | UnsetType = UNSET
    first_seen_at: Timestamp | UnsetType = UNSET
    archived_at: Timestamp | UnsetType = UNSET
    avatar: str | UnsetType = UNSET
    primary_action: ActionOut | UnsetType = UNSET
    secondary_action: ActionOut | UnsetType = UNSET
    channel_type: Literal["in_app"]
    tags: list[str]
    data: dict[str, Any] | UnsetType = UNSET
    redirect: RedirectOut | UnsetType = UNSET
    workflow: WorkflowOut | UnsetType = UNSET
    severity: Severity

    @classmethod
    def of(cls, message: InboxMessage, subscriber: Subscriber) -> "InboxNotificationOut":
        cta = message.cta
        return cls(
            id=message.id,
            transaction_id=message.transaction_id,
            subject=unless_none(message.subject),
            body=message.body,
            to=ToOut.of(subscriber),
            is_read=message.read,
            is_seen=message.seen,
            is_archived=message.archived,
            is_snoozed=message.snoozed_until is not None,
            snoozed_until=_date(message.snoozed_until),
            delivered_at=[iso(moment) for moment in message.delivered_at],
            created_at=iso(message.created_at),
            read_at=_date(message.last_read_at),
            first_seen_at=_date(message.first_seen_at),
            archived_at=_date(message.archived_at),
            avatar=unless_none(message.avatar),
            primary_action=ActionOut.of(cta, "primary"),
            secondary_action=ActionOut.of(cta, "secondary"),
            channel_type="in_app",
            tags=message.tags,
            data=unless_none(message.data),
            redirect=RedirectOut.of(cta.get("data") or {}),
            workflow=UNSET if message.workflow is None else WorkflowOut.of(message.workflow),
            severity=message.severity,
        )


class InboxPageOut(PageOut, frozen=True, kw_only=True):
    data: list[InboxNotificationOut]
    has_more: bool
    filter: dict[str, Any]
    """As it was asked for."""


class CountOut(Out, frozen=True, kw_only=True):
    count: int
    filter: dict[str, Any]
    """As it was sent."""


class SnoozeIn(msgspec.Struct, kw_only=True, rename="camel"):
    snooze_until: Annotated[datetime, msgspec.Meta(tz=True)]


async def page_of(
    connection: Connection, scope: Scope, subscriber: Subscriber, asked: Asked
) -> InboxPageOut:
    page = await inbox.page(
        connection, scope, subscriber.id, asked.filter, asked.limit, asked.after, asked.offset
    )
    return InboxPageOut(
        data=[InboxNotificationOut.of(each, subscriber) for each in page.items],
        has_more=page.more,
        filter=asked.said,
    )


async def counts_of(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filters: list[tuple[dict[str, Any], Filter]],
) -> list[CountOut]:
    found = await inbox.counts(connection, scope, subscriber_id, [each for _, each in filters])
    return [
        CountOut(count=count, filter=said) for count, (said, _) in zip(found, filters, strict=True)
    ]


def _date(moment: datetime | None) -> Timestamp | UnsetType:
    return UNSET if moment is None else iso(moment)
