"""What a channel step produced for one subscriber and one target, and what a vendor's report
changes about it."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.deliveries import Event, Happened
from tidings.domain.notifications import Detail, DetailStatus, Severity

MessageStatus = Literal["sent", "error", "warning"]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    notification_id: str
    job_id: str
    event_id: str
    transaction_id: str
    workflow_id: str
    step_id: str
    subscriber_id: str
    channel: Channel
    target: str = ""
    """Tells the messages of one job apart: a device token, a webhook address."""
    provider_id: str | None = None
    integration_id: str | None = None
    provider_message_id: str | None = None
    status: MessageStatus = "sent"
    error_id: str | None = None
    error_text: str | None = None
    content: Any = ""
    subject: str | None = None
    address: dict[str, Any] = {}
    cta: dict[str, Any] = {}
    data: dict[str, Any] | None = None
    avatar: str | None = None
    tags: tuple[str, ...] = ()
    severity: Severity = "none"
    context_keys: tuple[str, ...] = ()
    delivered_at: tuple[datetime, ...] = ()
    created_at: datetime


_SHOWN: dict[Happened, DetailStatus] = {
    "queued": "Queued",
    "sent": "Success",
    "deferred": "Pending",
    "delivered": "Success",
    "opened": "ReadConfirmation",
    "clicked": "Success",
    "read": "ReadConfirmation",
    "soft_bounced": "Warning",
    "bounced": "Failed",
    "rejected": "Failed",
    "dropped": "Failed",
    "failed": "Failed",
    "complained": "Failed",
    "unsubscribed": "Failed",
}
_LOST: frozenset[Happened] = frozenset({"bounced", "rejected", "dropped", "failed"})
_SUPPRESSED: frozenset[Happened] = frozenset({"bounced", "complained"})
UNEXPECTED: dict[str, str] = {
    "email": "mail_unexpected_error",
    "sms": "unexpected_sms_error",
    "chat": "unexpected_chat_error",
    "push": "unexpected_push_error",
}
"""The `errorId` of a message that a vendor refused or lost."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one report changes."""

    status: DetailStatus
    detail: str
    raw: dict[str, Any]
    """Tells the report apart from all others of the message."""
    delivered_at: datetime | None = None
    read_at: datetime | None = None
    error: str | None = None
    suppressed: str | None = None
    """The address that nothing may be sent to any more."""


def apply(message: Message, event: Event, now: datetime) -> Change:
    """A report about another recipient of the message, such as one in copy, is noted and changes
    nothing else about it."""
    at = event.at or now
    words = event.happened.replace("_", " ")
    reason = f": {event.reason}" if event.reason else ""
    ours = _is_ours(message, event.target)
    return Change(
        status=_SHOWN[event.happened],
        detail=f"The provider reports the message as {words}{reason}",
        raw=report(event),
        delivered_at=at if ours and event.happened == "delivered" else None,
        read_at=at if ours and event.happened in ("opened", "read") else None,
        error=(event.reason or words) if ours and event.happened in _LOST else None,
        suppressed=_address(message, event) if event.happened in _SUPPRESSED else None,
    )


def report(event: Event) -> dict[str, Any]:
    """The event as it is kept with its job."""
    said: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in said.items() if value not in (None, "")}


def is_noted(details: tuple[Detail, ...], change: Change) -> bool:
    """Whether the vendor has told us before: webhooks are repeated when an answer is lost."""
    return any(each.source == "Webhook" and each.raw == change.raw for each in details)


def canonical(address: str) -> str:
    """The address as it is compared."""
    return address.strip().casefold()


def _is_ours(message: Message, target: str | None) -> bool:
    if target is None or message.channel != "email":
        return True
    return canonical(target) == canonical(message.address.get("email", ""))


def _address(message: Message, event: Event) -> str | None:
    if message.channel == "email":
        return canonical(event.target or message.address.get("email", "")) or None
    if message.channel == "sms":
        return canonical(message.address.get("phone", "")) or None
    return None
