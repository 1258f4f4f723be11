"""What a channel step produced for one subscriber and one target."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.notifications import Severity

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
