"""Discord. https://discord.com/developers/docs/resources/webhook#execute-webhook

`wait` makes it answer with the message that it made. A text may have 2000 characters.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import path
from tidings.providers.exchange import Request
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage


class Discord(HookProvider):
    id = "discord"
    name = "Discord"
    docs = "https://discord.com/developers/docs/resources/webhook#execute-webhook"
    cannot = frozenset({"blocks", "channel"})
    message_id = path("id")
    sent_at = path("timestamp")
    reason = path("message")

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        return {"content": message.content, **message.custom_data}

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        request = super().build_request(message, credentials)
        return msgspec.structs.replace(request, query={"wait": "true"})
