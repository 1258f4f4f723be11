"""The inbox of a subscriber: the states of an in-app message and the rules between them.

What is archived is read, and what is read is seen. A snoozed message is hidden until its time has
come; then it is delivered again, as new. While it is snoozed, nothing else can be done with it but
waking or deleting it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

import msgspec

from tidings.domain.errors import InvalidError, RefusedError

Severity = Literal["high", "medium", "low", "none"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
ActionType = Literal["primary", "secondary"]
Mark = Literal["seen", "unseen", "read", "unread", "archived", "unarchived"]

MOST_COUNTED = 100
"""Counts stop here: a bell shows `99+` anyway."""
MOST_COUNTS = 100
"""How many counts one question may ask for."""
LONGEST_SNOOZE = timedelta(days=90)


class State(msgspec.Struct, frozen=True):
    """What a mark makes of a message; None leaves it as it is."""

    seen: bool
    read: bool | None = None
    archived: bool | None = None


MARKS: dict[Mark, State] = {
    "seen": State(seen=True),
    "unseen": State(seen=False, read=False, archived=False),
    "read": State(seen=True, read=True),
    "unread": State(seen=True, read=False, archived=False),
    "archived": State(seen=True, read=True, archived=True),
    "unarchived": State(seen=True, read=True, archived=False),
}


class Workflow(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a workflow as its messages show."""

    id: str
    key: str
    name: str
    critical: bool
    tags: list[str]
    severity: Severity


class InboxMessage(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    notification_id: str
    job_id: str
    step_id: str
    workflow_id: str
    transaction_id: str
    body: str
    subject: str | None
    avatar: str | None
    cta: dict[str, Any]
    data: dict[str, Any] | None
    tags: list[str]
    severity: Severity
    context_keys: list[str]
    provider_id: str | None
    seen: bool
    read: bool
    archived: bool
    first_seen_at: datetime | None
    last_seen_at: datetime | None
    last_read_at: datetime | None
    archived_at: datetime | None
    snoozed_until: datetime | None
    delivered_at: list[datetime]
    created_at: datetime
    updated_at: datetime
    workflow: Workflow | None
    """None when it was removed since."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a subscriber as its own inbox is told."""

    id: str
    key: str
    first_name: str | None
    last_name: str | None
    email: str | None
    phone: str | None
    avatar: str | None
    locale: str | None
    timezone: str | None
    data: msgspec.Raw | None


class Received(msgspec.Struct, frozen=True):
    reader: Reader
    message: InboxMessage


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which messages; None lets everything pass, but what is snoozed must be asked for."""

    tags: tuple[tuple[str, ...], ...] = ()
    """One tag of every group."""
    read: bool | None = None
    archived: bool | None = None
    snoozed: bool = False
    seen: bool | None = None
    data: Mapping[str, Any] = {}
    """Each of these values, or one of them where it is a list."""
    payload: Mapping[str, Any] = {}
    """What triggered the message holds this."""
    severities: tuple[Severity, ...] = ()
    created_from: datetime | None = None
    created_until: datetime | None = None
    context_keys: tuple[str, ...] | None = None
    """Exactly these contexts."""

    def refuse_nonsense(self) -> None:
        if self.archived and self.read is False:
            raise RefusedError("What is archived is read: read=false excludes archived=true.")


class Unread(msgspec.Struct, frozen=True):
    """How many messages wait to be read."""

    total: int
    by_severity: Mapping[Severity, int]
    has_more: bool
    """Whether there are more than `total`."""

    @classmethod
    def of(cls, found: Mapping[Severity, int]) -> "Unread":
        """From counts that may go beyond what is counted."""
        total = sum(found.values())
        return cls(
            min(total, MOST_COUNTED),
            {each: min(found.get(each, 0), MOST_COUNTED) for each in SEVERITIES},
            total > MOST_COUNTED,
        )


def refuse_snoozed(message: InboxMessage) -> None:
    if message.snoozed_until is not None:
        raise RefusedError(
            f"The notification is snoozed until {message.snoozed_until:%Y-%m-%dT%H:%M:%SZ}; "
            "unsnooze it first.",
            notificationId=message.id,
        )


def snooze_end(until: datetime, now: datetime) -> datetime:
    """The moment itself, if one may snooze until then."""
    if until <= now:
        raise InvalidError.of("snoozeUntil", "must be in the future", until)
    if until > now + LONGEST_SNOOZE:
        raise InvalidError.of(
            "snoozeUntil", f"must be at most {LONGEST_SNOOZE.days} days ahead", until
        )
    return until


def acted(
    message: InboxMessage, action: ActionType, done: bool, payload: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The call to action after one of its buttons was used, or that was taken back."""
    offered = message.cta.get("action") or {}
    if not any(button.get("type") == action for button in offered.get("buttons", ())):
        raise RefusedError(
            f"The notification has no {action} action.",
            notificationId=message.id,
            actionType=action,
        )
    kept = {name: value for name, value in offered.items() if name != "result"}
    if not done:
        return {**message.cta, "action": {**kept, "status": "pending"}}
    result = {"type": action, "payload": dict(payload or {})}
    return {**message.cta, "action": {**kept, "status": "done", "result": result}}


def is_completed(cta: Mapping[str, Any], action: str) -> bool:
    offered = cta.get("action") or {}
    used = (offered.get("result") or {}).get("type")
    return offered.get("status") == "done" and used == action
