"""Mattermost. https://developers.mattermost.com/integrate/webhooks/incoming/"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import given, header, on, path, text
from tidings.providers.hooks import GONE, HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT


class Mattermost(HookProvider):
    id = "mattermost"
    name = "Mattermost"
    docs = "https://developers.mattermost.com/integrate/webhooks/incoming/"
    cannot = frozenset({"blocks"})
    accepted = on(SENT, at=text, among=("ok",))
    message_id = header("x-request-id")
    sent_at = header("date")
    reason = path("message")
    rules = (
        GONE,
        on(BAD_RECIPIENT, 400, at="id", like=r"webhook\.(channel|user|team|invalid|disabled)"),
    )

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        return {**given(text=message.content, channel=message.channel), **message.custom_data}
