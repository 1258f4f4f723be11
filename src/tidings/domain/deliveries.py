"""What a vendor reports about a message it took."""

from datetime import datetime
from typing import Literal

import msgspec

Happened = Literal[
    "queued",
    "sent",
    "deferred",
    "delivered",
    "opened",
    "clicked",
    "read",
    "soft_bounced",
    "bounced",
    "rejected",
    "dropped",
    "failed",
    "complained",
    "unsubscribed",
]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What a vendor reports about a message it took."""

    message_id: str
    """The vendor's, as recorded when it was sent; or ours, where the vendor hands it back."""
    happened: Happened
    at: datetime | None = None
    id: str | None = None
    """The event's own id, to notice repetition."""
    target: str | None = None
    reason: str = ""
