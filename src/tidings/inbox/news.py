"""What a connected inbox is told: a message that arrived, and how many wait."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType, field

from tidings.domain.inbox import InboxMessage, Reader, Received, Severity
from tidings.domain.scope import Scope
from tidings.hall.inbox_shapes import WorkflowOut
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


class ReaderOut(Out, frozen=True, kw_only=True):
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
    def of(cls, reader: Reader) -> "ReaderOut":
        return cls(
            id=reader.id,
            subscriber_id=reader.key,
            first_name=unless_none(reader.first_name),
            last_name=unless_none(reader.last_name),
            email=unless_none(reader.email),
            phone=unless_none(reader.phone),
            avatar=unless_none(reader.avatar),
            locale=unless_none(reader.locale),
            timezone=unless_none(reader.timezone),
            data=unless_none(reader.data),
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
    channel: Literal["in_app"]
    subject: str | UnsetType = UNSET
    content: str
    avatar: str | UnsetType = UNSET
    cta: dict[str, Any]
    tags: list[str]
    data: dict[str, Any] | UnsetType = UNSET
    severity: Severity
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
    subscriber: ReaderOut
    workflow: WorkflowOut | UnsetType = UNSET

    @classmethod
    def of(cls, message: InboxMessage, reader: Reader, scope: Scope) -> "MessageOut":
        return cls(
            id=message.id,
            template_id=message.workflow_id,
            environment_id=scope.environment_id,
            organization_id=scope.organization_id,
            notification_id=message.notification_id,
            subscriber_id=reader.id,
            transaction_id=message.transaction_id,
            channel="in_app",
            subject=unless_none(message.subject),
            content=message.body,
            avatar=unless_none(message.avatar),
            cta=message.cta,
            tags=message.tags,
            data=unless_none(message.data),
            severity=message.severity,
            seen=message.seen,
            read=message.read,
            archived=message.archived,
            snoozed_until=_moment(message.snoozed_until),
            delivered_at=[iso(moment) for moment in message.delivered_at],
            created_at=iso(message.created_at),
            first_seen_date=_moment(message.first_seen_at),
            last_seen_date=_moment(message.last_seen_at),
            last_read_date=_moment(message.last_read_at),
            archived_at=_moment(message.archived_at),
            subscriber=ReaderOut.of(reader),
            workflow=WorkflowOut.of(message.workflow) if message.workflow else UNSET,
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


def received(found: Received, scope: Scope) -> News:
    out = ReceivedOut(message=MessageOut.of(found.message, found.reader, scope))
    return News(RECEIVED, _json(out), mark(found.message.created_at))


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
