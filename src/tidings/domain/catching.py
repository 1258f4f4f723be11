"""Messages that development catches instead of sending."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.channels import Channel

MOST_KEPT = 1000
"""How many an environment keeps; the oldest go first."""

PROVIDERS: Mapping[Channel, str] = {
    "email": "svc-email",
    "sms": "svc-sms",
    "chat": "svc",
    "push": "svc",
}
"""What stands as provider of a caught message. The interface has no name of the service's own for
chat and push, so these bear the service's own name as in-app messages do."""


class Attached(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    mime: str
    size: int


class Glimpse(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a caught message as a listing shows."""

    id: str
    channel: Channel
    recipients: tuple[str, ...]
    """The first few of them."""
    subject: str | None
    beginning: str
    attached: int
    subscriber_key: str | None
    created_at: datetime


class Caught(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    channel: Channel
    recipients: tuple[str, ...] = ()
    """Addresses, numbers, device tokens or webhooks; none when the subscriber has none."""
    subject: str | None = None
    html: str | None = None
    text: str | None = None
    content: str | None = None
    """What channels other than e-mail say."""
    headers: dict[str, Any] = {}
    attachments: tuple[Attached, ...] = ()
    message_id: str | None = None
    transaction_id: str | None = None
    subscriber_key: str | None = None
    created_at: datetime
