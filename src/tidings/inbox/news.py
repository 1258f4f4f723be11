"""What a connected inbox is told: a message that arrived, and how many wait."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType, field

from tidings.domain.activities import Delivered
from tidings.domain.inbox import Severity
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.domain.workflows import Workflow
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage.inbox_counts import Counts

RECEIVED = "notification_received"
UNSEEN = "unseen_count_changed"
UNREAD = "unread_count_changed"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_MARK = 14

OVERLAP = timedelta(seconds=10)
"""Messages carry the time at which they were decided on and are seen a moment later; a stream that
goes on looks back as far as that may take."""
MOST_MISSED = 100


class News(msgspec.Struct, frozen=True):
    """One event, written once for everyone who is told it."""

    event: str
    data: str
    """JSON on one line."""
    id: str | None = None
    """From where a stream that was cut off goes on."""


class WhoOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    subscriber_id: str
    first_name: str | UnsetType = UNSET
    last_name: str | UnsetType = UNSET
    email: str | UnsetType = UNSET
    phone: str | UnsetType = UNSET
    avatar: str | UnsetType = UNSET
    locale: str | UnsetType = UNSET
    timezone: str | UnsetType = UNSET
    data: Any = UNSET

    @classmethod
    def of(cls, subscriber: Subscriber) -> "WhoOut":
        return cls(
            id=subscriber.id,
            subscriber_id=subscriber.key,
            first_name=unless_none(subscriber.first_name),
            last_name=unless_none(subscriber.last_name),
            email=unless_none(subscriber.email),
            phone=unless_none(subscriber.phone),
            avatar=unless_none(subscriber.avatar),
            locale=unless_none(subscriber.locale),
            timezone=unless_none(subscriber.timezone),
            data=unless_none(subscriber.data),
        )


class CauseOut(Out, frozen=True, kw_only=True):
    id: Id
    identifier: str
    name: str
    critical: bool
    tags: list[str]
    severity: str

    @classmethod
    def of(cls, workflow: Workflow) -> "CauseOut":
        return cls(
            id=workflow.id,
            identifier=workflow.key,
            name=workflow.name,
            critical=workflow.preferences.critical,
            tags=workflow.tags,
            severity=workflow.severity,
        )


class MessageOut(Out, frozen=True, kw_only=True):
    """The message as it is stored, as far as it concerns its reader: not what triggered it."""

    id: Id = field(name="_id")
    template_id: Id = field(name="_templateId")
    environment_id: Id = field(name="_environmentId")
    organization_id: Id = field(name="_organizationId")
    notification_id: Id = field(name="_notificationId")
    subscriber_id: Id = field(name="_subscriberId")
    transaction_id: str
    channel: str
    subject: str | UnsetType = UNSET
    content: Any
    avatar: str | UnsetType = UNSET
    cta: dict[str, Any]
    tags: list[str]
    data: dict[str, Any] | UnsetType = UNSET
    severity: str
    seen: bool
    read: bool
    archived: bool
    snoozed_until: Timestamp | UnsetType = UNSET
    delivered_at: list[Timestamp]
    created_at: Timestamp
    first_seen_date: Timestamp | UnsetType = UNSET
    last_seen_date: Timestamp | UnsetType = UNSET
    last_read_date: Timestamp | UnsetType = UNSET
    archived_at: Timestamp | UnsetType = UNSET
    subscriber: WhoOut | UnsetType = UNSET
    workflow: CauseOut | UnsetType = UNSET

    @classmethod
    def of(cls, delivered: Delivered, scope: Scope) -> "MessageOut":
        message, person, workflow = delivered.message, delivered.subscriber, delivered.workflow
        return cls(
            id=message.id,
            template_id=message.workflow_id,
            environment_id=scope.environment_id,
            organization_id=scope.organization_id,
            notification_id=message.notification_id,
            subscriber_id=message.subscriber_id,
            transaction_id=message.transaction_id,
            channel=message.channel,
            subject=unless_none(message.subject),
            content=message.content,
            avatar=unless_none(message.avatar),
            cta=message.cta,
            tags=list(message.tags),
            data=unless_none(message.data),
            severity=message.severity,
            seen=delivered.seen,
            read=delivered.read,
            archived=delivered.archived,
            snoozed_until=_moment(delivered.snoozed_until),
            delivered_at=[iso(moment) for moment in message.delivered_at],
            created_at=iso(message.created_at),
            first_seen_date=_moment(delivered.first_seen_at),
            last_seen_date=_moment(delivered.last_seen_at),
            last_read_date=_moment(delivered.last_read_at),
            archived_at=_moment(delivered.archived_at),
            subscriber=WhoOut.of(person) if person else UNSET,
            workflow=CauseOut.of(workflow) if workflow else UNSET,
        )


class ReceivedOut(Out, frozen=True, kw_only=True):
    message: MessageOut


class UnseenOut(Out, frozen=True, kw_only=True):
    unseen_count: int
    has_more: bool


class TotalsOut(Out, frozen=True, kw_only=True):
    total: int
    severity: Mapping[Severity, int]


class UnreadOut(Out, frozen=True, kw_only=True):
    unread_count: int
    counts: TotalsOut
    has_more: bool


def received(delivered: Delivered, scope: Scope) -> News:
    at = delivered.message.created_at
    out = ReceivedOut(message=MessageOut.of(delivered, scope))
    return News(RECEIVED, _json(out), mark(at))


def counted(counts: Counts) -> list[News]:
    """Absolute, so that only the last of several matters."""
    unread = counts.unread
    totals = TotalsOut(total=unread.total, severity=unread.by_severity)
    return [
        News(UNSEEN, _json(UnseenOut(unseen_count=counts.unseen, has_more=counts.more_unseen))),
        News(
            UNREAD,
            _json(UnreadOut(unread_count=unread.total, counts=totals, has_more=unread.has_more)),
        ),
    ]


def mark(moment: datetime) -> str:
    """The moment as the id of an event: milliseconds, which a client gives back as it got them."""
    return str((moment - _EPOCH) // timedelta(milliseconds=1))


def moment_of(mark: str) -> datetime | None:
    """None for anything that `mark` did not write."""
    if not mark.isascii() or not mark.isdigit() or len(mark) > _LONGEST_MARK:
        return None
    return _EPOCH + timedelta(milliseconds=int(mark))


def _json(out: Out) -> str:
    return msgspec.json.encode(out).decode()


def _moment(moment: datetime | None) -> Timestamp | UnsetType:
    return UNSET if moment is None else iso(moment)
