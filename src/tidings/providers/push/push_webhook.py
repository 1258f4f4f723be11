"""Push webhook: the message and its targets as JSON to an address of yours, signed."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import PushMessage
from tidings.providers.overrides import PASSTHROUGH
from tidings.providers.signing import HmacBody


class PushWebhook(PushProvider):
    id = "push-webhook"
    name = "Push webhook"
    docs = "docs/how-to/webhook-providers.md"
    batch = 1000
    credentials = (
        need("webhookUrl", "Webhook URL", format="url"),
        secret("secretKey", "Secret key", help="Signs each request: X-Tidings-Signature."),
    )
    message_id = path("id")

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        body = {
            "title": message.title,
            "content": message.content,
            "target": list(message.targets),
            "overrides": {k: v for k, v in message.overrides.items() if k != PASSTHROUGH},
            "payload": {
                **message.payload,
                "subscriber": dict(message.subscriber),
                "step": dict(message.step),
            },
        }
        return Request(
            url=credentials.webhook_url,
            body=Json(body),
            headers={"Idempotency-Key": message.id},
            overrides="passthrough",
            signer=HmacBody(key=credentials.secret_key),
        )
