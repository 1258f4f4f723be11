"""Rocket.Chat. https://developer.rocket.chat/apidocs/send-message

The subscriber's webhook URL is the server's address, and the channel a room id.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import first, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Conversation, Json, Request
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import (
    BAD_RECIPIENT,
    SENT,
    THROTTLED,
    Result,
)


class RocketChat(HookProvider):
    id = "rocket-chat"
    name = "Rocket.Chat"
    docs = "https://developer.rocket.chat/apidocs/send-message"
    credentials = (
        secret("token", "Personal access token", help="My account > Personal access tokens."),
        need("user", "User id", help="Shown with the token."),
    )
    cannot = frozenset({"blocks", "custom_data"})
    accepted = on(SENT, at="success", among=(True,))
    message_id = path("message._id")
    sent_at = path("message.ts")
    reason = first(path("error"), path("message"))
    rules = (
        on(THROTTLED, 400, like="too.many.requests"),
        on(BAD_RECIPIENT, 400, like=r"room|\brid\b|not.allowed"),
        on(BAD_RECIPIENT, 404),
    )

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        server = (message.webhook_url or "").rstrip("/")
        return Request(
            url=f"{server}/api/v1/chat.sendMessage",
            headers={"X-Auth-Token": credentials.token, "X-User-Id": credentials.user},
            body=Json({"message": {"rid": message.channel, "msg": message.content}}),
        )

    def converse(self, message: ChatMessage, credentials: Credentials) -> Conversation:
        if not message.channel:
            return Result(outcome=BAD_RECIPIENT, reason="The subscriber has no channel (room id).")
        return (yield from super().converse(message, credentials))
