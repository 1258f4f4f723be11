"""Ryver. https://support.ryver.com/inbound-webhooks/

Its webhooks come in two kinds, of which one reads `body` and the other, Slack's, reads `text`. What
a given one reads could not be confirmed, so the content goes under three names.
"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage


class Ryver(HookProvider):
    id = "ryver"
    name = "Ryver"
    docs = "https://support.ryver.com/inbound-webhooks/"

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        return {"body": message.content, "text": message.content, "content": message.content}
