"""Resend. https://resend.com/docs/api-reference/emails/send-email

Webhooks are signed the way of Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual
"""

from datetime import timedelta

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import b64, bearer, from_line, given, moment, on, path
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, RETRYABLE, Event
from tidings.providers.signing import from_base64, hmac_base64, is_recent, same

_WINDOW = timedelta(minutes=5)

_EVENTS = Events(
    name="type",
    names={
        "email.sent": "sent",
        "email.delivered": "delivered",
        "email.delivery_delayed": "deferred",
        "email.bounced": "bounced",
        "email.complained": "complained",
        "email.opened": "opened",
        "email.clicked": "clicked",
        "email.failed": "failed",
        "email.suppressed": "dropped",
    },
    message_id=("data.email_id",),
    at=("created_at",),
    target=("data.to.0",),
    reason=("data.bounce.message", "data.failed.reason", "data.suppressed.message"),
)


class Resend(EmailProvider):
    id = "resend"
    name = "Resend"
    docs = "https://resend.com/docs/api-reference/emails/send-email"
    tested = "Its reports are signed and read with the vendor's library, svix."
    credentials = (
        secret("apiKey", "API key", help="API Keys > Create; sending access is enough."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "The signing secret of the webhook, whsec_...: Webhooks > yours."
    cannot = frozenset({"custom_data", "ip_pool"})
    message_id = path("id")
    reason = path("message")
    rules = (
        on(BAD_CREDENTIALS, at="name", like=r"_api_key$|^monthly_quota_exceeded$"),
        on(RETRYABLE, 409, at="name", among=("concurrent_idempotent_requests",)),
        on(BAD_RECIPIENT, 400, 422, at="message", like=r"`(to|cc|bcc)`"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        body = given(
            from_=from_line(message, credentials),
            to=list(message.to),
            cc=list(message.cc),
            bcc=list(message.bcc),
            reply_to=message.reply_to,
            subject=message.subject,
            html=message.html,
            text=message.text,
            headers=dict(message.headers),
            attachments=[
                given(
                    filename=a.name,
                    content=b64(a.content),
                    content_type=a.mime,
                    content_id=a.cid,
                )
                for a in message.attachments
            ],
        )
        headers = {**bearer(credentials.api_key), "Idempotency-Key": message.id}
        return Request(url="https://api.resend.com/emails", headers=headers, body=Json(body))

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        key = from_base64(signing_key.removeprefix("whsec_"))
        id, stamp = (webhook.headers.get(f"svix-{name}", "") for name in ("id", "timestamp"))
        if not key or not is_recent(webhook, moment(stamp), _WINDOW):
            return False
        expected = "v1," + hmac_base64(key, f"{id}.{stamp}.".encode() + webhook.body)
        shown = webhook.headers.get("svix-signature", "").split()
        return any(same(each, expected) for each in shown)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        id = webhook.headers.get("svix-id")
        return [msgspec.structs.replace(event, id=id) for event in _EVENTS.read(entries(webhook))]
