"""What the chat vendors share that are reached through a webhook of the subscriber."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tidings.domain.integrations import Credentials
from tidings.providers.base import ChatProvider
from tidings.providers.blocks import Rule, on
from tidings.providers.exchange import Conversation, Json, Request
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Result

GONE = on(BAD_RECIPIENT, 401, 403, 404, 410)
"""The address of a webhook is also its key: refused, it is of no use any more."""


class HookProvider(ChatProvider):
    cannot = frozenset({"blocks", "channel", "custom_data"})
    rules: ClassVar[tuple[Rule, ...]] = (GONE,)

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        return {"text": message.content}

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        return Request(url=message.webhook_url or "", body=Json(self.body(message, credentials)))

    def converse(self, message: ChatMessage, credentials: Credentials) -> Conversation:
        if not message.webhook_url:
            return Result(outcome=BAD_RECIPIENT, reason="The subscriber has no webhook URL.")
        return (yield from super().converse(message, credentials))
