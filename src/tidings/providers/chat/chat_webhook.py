"""Chat webhook: the message as JSON to the subscriber's webhook, signed when there is a key."""

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import given, path
from tidings.providers.credentials import may
from tidings.providers.exchange import Json, Request
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.signing import HmacBody


class ChatWebhook(HookProvider):
    id = "chat-webhook"
    name = "Chat webhook"
    docs = "docs/how-to/webhook-providers.md"
    credentials = (
        may(
            "secretKey",
            "Secret key",
            secret=True,
            help="Signs each request: X-Tidings-Signature. Without it requests are not signed.",
        ),
    )
    cannot = frozenset()
    rules = ()
    message_id = path("id")

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        body = given(
            content=message.content,
            webhookUrl=message.webhook_url,
            channel=message.channel,
            phoneNumber=message.phone,
            blocks=list(message.blocks),
            **message.custom_data,
        )
        key = message.secret_key or credentials.secret_key
        return Request(
            url=message.webhook_url or "",
            body=Json(body),
            headers={"Idempotency-Key": message.id},
            signer=HmacBody(key=key) if key else None,
        )
