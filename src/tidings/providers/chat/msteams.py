"""Microsoft Teams. https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/

Workflows take Adaptive Cards; the older connectors, which are being retired, take plain text and
answer `1`, or 200 with a sentence when something went wrong. A content that is a JSON object goes
as it is.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import first, header, on, text
from tidings.providers.hooks import GONE, HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import SENT, THROTTLED

_CARD = "application/vnd.microsoft.card.adaptive"


class MsTeams(HookProvider):
    id = "msteams"
    name = "Microsoft Teams"
    docs = (
        "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/"
        "how-to/add-incoming-webhook"
    )
    accepted = on(SENT, at=text, like=r"^(?!Webhook message delivery failed|.*error 429)")
    message_id = first(header("request-id"), header("x-ms-workflow-run-id"))
    rules = (GONE, on(THROTTLED, 200, at=text, like="429|throttl|too many"))

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        if card := _own(message.content):
            return card
        if _is_connector(message.webhook_url or ""):
            return {"text": message.content}
        content = {
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "type": "AdaptiveCard",
            "version": "1.4",
            "body": [{"type": "TextBlock", "text": message.content, "wrap": True}],
        }
        attachment = {"contentType": _CARD, "contentUrl": None, "content": content}
        return {"type": "message", "attachments": [attachment]}


def _own(content: str) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.DecodeError:
        return None


def _is_connector(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host.endswith((".webhook.office.com", "outlook.office.com", "outlook.office365.com"))
