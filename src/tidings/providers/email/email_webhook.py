"""E-mail webhook: the whole message as JSON to an address of yours, signed."""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import b64, from_address, from_name, given, path
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import EmailMessage
from tidings.providers.signing import HmacBody


class EmailWebhook(EmailProvider):
    id = "email-webhook"
    name = "Email webhook"
    docs = "docs/how-to/webhook-providers.md"
    credentials = (
        need("webhookUrl", "Webhook URL", format="url"),
        secret("secretKey", "Secret key", help="Signs each request: X-Tidings-Signature."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    message_id = path("id")

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
        return Request(
            url=credentials.webhook_url,
            body=Json(body),
            headers={"Idempotency-Key": message.id},
            signer=HmacBody(key=credentials.secret_key),
        )
