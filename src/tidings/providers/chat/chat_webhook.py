"""Chat webhook: the message as JSON to the subscriber's webhook, signed when there is a key;
or as the integration describes."""

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import given
from tidings.providers.credentials import may
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.gateway import ANSWER_FIELDS, described, judge_described, request_fields
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import Result
from tidings.providers.signing import HmacBody

_KNOWN = (
    "content",
    "channel",
    "phoneNumber",
    "webhookUrl",
    "blocks",
    "customData",
    "id",
    "secretKey",
)


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
        *request_fields(_KNOWN),
        *ANSWER_FIELDS,
    )
    cannot = frozenset()
    rules = ()

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        said = given(
            content=message.content,
            webhookUrl=message.webhook_url,
            channel=message.channel,
            phoneNumber=message.phone,
            blocks=list(message.blocks),
        )
        key = message.secret_key or credentials.secret_key
        request = Request(
            url=message.webhook_url or "",
            body=Json({**said, **given(**message.custom_data)}),
            headers={"Idempotency-Key": message.id},
            signer=HmacBody(key=key) if key else None,
        )
        values = {**said, "customData": dict(message.custom_data), "id": message.id,
                  "secretKey": key}  # fmt: skip
        return described(request, credentials, values, fill_url=False)

    def verdict(self, response: Response, credentials: Credentials) -> Result:
        return judge_described(response, credentials)
