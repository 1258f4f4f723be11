"""The message that tries an integration out."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.domain.errors import InvalidError
from tidings.providers.base import AnyProvider
from tidings.providers.messages import (
    AnyMessage,
    ChatMessage,
    EmailMessage,
    InAppMessage,
    PushMessage,
    SmsMessage,
)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to send to and what to say."""

    to: str
    device_tokens: tuple[str, ...]
    webhook_url: str
    channel: str
    subject: str
    content: str


def message_for(
    provider: AnyProvider, trial: Trial, id: str, credentials: Mapping[str, Any]
) -> AnyMessage:
    """In the provider's channel. An e-mail without addressee goes to the integration's own."""
    match provider.channel:
        case "email":
            to = _needed("to", trial.to or str(credentials.get("from", "")))
            return EmailMessage(id=id, to=(to,), subject=trial.subject, text=trial.content)
        case "sms":
            return SmsMessage(id=id, to=_needed("to", trial.to), content=trial.content)
        case "push":
            return PushMessage(
                id=id,
                targets=_needed("deviceTokens", trial.device_tokens),
                title=trial.subject,
                content=trial.content,
            )
        case "chat":
            _needed("webhookUrl", trial.webhook_url or trial.to or trial.channel)
            return ChatMessage(
                id=id,
                content=trial.content,
                webhook_url=trial.webhook_url or None,
                channel=trial.channel or None,
                phone=trial.to or None,
            )
        case _:
            return InAppMessage(id=id, content=trial.content)


def _needed(field: str, value: Any) -> Any:
    if not value:
        raise InvalidError.of(field, "is required to test an integration of this channel")
    return value
