"""Slack, through incoming webhooks. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

The credentials are for letting subscribers connect a channel of theirs; sending needs none of them.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import given, header, on, text
from tidings.providers.credentials import Field, may
from tidings.providers.hooks import GONE, HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT


class Slack(HookProvider):
    id = "slack"
    name = "Slack"
    docs = "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"
    credentials: ClassVar[tuple[Field, ...]] = (
        may("applicationId", "App id", help="Of the Slack app that subscribers connect."),
        may("clientId", "Client id", help="api.slack.com/apps > the app > Basic information."),
        may(
            "secretKey",
            "Client secret",
            secret=True,
            help="api.slack.com/apps > the app > Basic information.",
        ),
        may("redirectUrl", "Redirect URL", format="url", help="Where to go after connecting."),
        may("hmac", "HMAC", help="Ask for a signature of the subscriber id when connecting."),
    )
    cannot = frozenset({"channel"})
    accepted = on(SENT, at=text, like=r'^ok$|"ok"\s*:\s*true')
    message_id = header("x-slack-req-id")
    rules = (GONE, on(BAD_RECIPIENT, at=text, like="no_service|no_team|channel_"))

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        return {
            **given(text=message.content, blocks=list(message.blocks)),
            **message.custom_data,
        }
