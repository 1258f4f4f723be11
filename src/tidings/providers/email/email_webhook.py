"""E-mail webhook: the whole message as JSON to an address of yours, signed; or as it describes."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import b64, from_address, from_name, given
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.gateway import (
    ANSWER_FIELDS,
    described,
    judge_described,
    request_fields,
    url_check,
)
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Result
from tidings.providers.signing import HmacBody

_KNOWN = (
    "to",
    "subject",
    "html",
    "text",
    "from",
    "senderName",
    "cc",
    "bcc",
    "replyTo",
    "headers",
    "attachments",
    "customData",
    "ipPoolName",
    "id",
    "secretKey",
)


class EmailWebhook(EmailProvider):
    id = "email-webhook"
    name = "Email webhook"
    docs = "docs/how-to/webhook-providers.md"
    credentials = (
        need(
            "webhookUrl",
            "Webhook URL",
            format="url",
            check=url_check(_KNOWN),
            help="Where your program takes messages.",
        ),
        secret("secretKey", "Secret key", help="Signs each request: X-Tidings-Signature."),
        FROM_EMAIL,
        SENDER_NAME,
        *request_fields(_KNOWN),
        *ANSWER_FIELDS,
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        body = given(
            id=message.id,
            from_=from_address(message, credentials),
            senderName=from_name(message, credentials),
            to=list(message.to),
            cc=list(message.cc),
            bcc=list(message.bcc),
            replyTo=message.reply_to,
            subject=message.subject,
            html=message.html,
            text=message.text,
            headers=dict(message.headers),
            attachments=[
                given(name=a.name, mime=a.mime, content=b64(a.content), cid=a.cid)
                for a in message.attachments
            ],
            customData=dict(message.custom_data),
            ipPoolName=message.ip_pool,
        )
        request = Request(
            url=credentials.webhook_url,
            body=Json(body),
            headers={"Idempotency-Key": message.id},
            signer=HmacBody(key=credentials.secret_key),
        )
        return described(request, credentials, {**body, "secretKey": credentials.secret_key})

    def verdict(self, response: Response, credentials: Credentials) -> Result:
        return judge_described(response, credentials)
