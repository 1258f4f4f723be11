"""Push webhook: the message and its targets as JSON to an address of yours, signed; or as
it describes."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.gateway import (
    ANSWER_FIELDS,
    described,
    judge_described,
    request_fields,
    url_check,
)
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import Result
from tidings.providers.overrides import PASSTHROUGH
from tidings.providers.signing import HmacBody

_KNOWN = ("target", "title", "content", "payload", "subscriber", "step", "id", "secretKey")


class PushWebhook(PushProvider):
    id = "push-webhook"
    name = "Push webhook"
    docs = "docs/how-to/webhook-providers.md"
    batch = 1000
    credentials = (
        need(
            "webhookUrl",
            "Webhook URL",
            format="url",
            check=url_check(_KNOWN),
            help="Where your program takes messages.",
        ),
        secret("secretKey", "Secret key", help="Signs each request: X-Tidings-Signature."),
        *request_fields(_KNOWN),
        *ANSWER_FIELDS,
    )

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
        request = Request(
            url=credentials.webhook_url,
            body=Json(body),
            headers={"Idempotency-Key": message.id},
            overrides="passthrough",
            signer=HmacBody(key=credentials.secret_key),
        )
        values = {
            **body,
            "payload": dict(message.payload),
            "subscriber": dict(message.subscriber),
            "step": dict(message.step),
            "id": message.id,
            "secretKey": credentials.secret_key,
        }
        return described(request, credentials, values)

    def verdict(self, response: Response, credentials: Credentials) -> Result:
        return judge_described(response, credentials)
