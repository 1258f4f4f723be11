"""What is to be sent, per channel, before any vendor has seen it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    mime: str = "application/octet-stream"
    content: bytes
    cid: str | None = None
    """Content id: the part is shown inside the HTML."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """What the messages of all channels share."""

    id: str
    """Ours. The same on every attempt, so it also serves as idempotency key, and as the vendor's
    message id where the vendor gives none."""
    at: datetime = _LONG_AGO
    """The moment of this attempt, for signatures and tokens; delivery fills it in."""
    overrides: Mapping[str, Any] = {}
    """The vendor's own fields, merged over the body we build; `_passthrough` holds `body`,
    `headers` and `query`, merged last."""
    custom_data: Mapping[str, Any] = {}


class EmailMessage(Message, frozen=True, kw_only=True):
    to: tuple[str, ...]
    subject: str
    html: str | None = None
    text: str | None = None
    from_: str | None = None
    """Instead of the address in the credentials."""
    sender_name: str | None = None
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    reply_to: str | None = None
    headers: Mapping[str, str] = {}
    attachments: tuple[Attachment, ...] = ()
    ip_pool: str | None = None


class SmsMessage(Message, frozen=True, kw_only=True):
    to: str
    """E.164: a plus sign and digits."""
    content: str
    from_: str | None = None


class PushMessage(Message, frozen=True, kw_only=True):
    targets: tuple[str, ...]
    """Device tokens, or the user ids of vendors that know users."""
    title: str
    content: str
    payload: Mapping[str, Any] = {}
    subscriber: Mapping[str, Any] = {}
    step: Mapping[str, Any] = {}


class ChatMessage(Message, frozen=True, kw_only=True):
    content: str
    webhook_url: str | None = None
    """Of the subscriber's channel, as are the two that follow."""
    channel: str | None = None
    phone: str | None = None
    details: Mapping[str, str] = {}
    """What else the subscriber's channel holds: alertUid, title, imageUrl, state, externalUrl."""
    blocks: tuple[Mapping[str, Any], ...] = ()
    secret_key: str | None = None
    """Signs this message instead of the key in the credentials."""


class InAppMessage(Message, frozen=True, kw_only=True):
    content: str


AnyMessage = EmailMessage | SmsMessage | PushMessage | ChatMessage | InAppMessage
