"""MailerSend. https://developers.mailersend.com/api/v1/email.html

Custom headers need one of the paid plans.
"""

from tidings.domain.conditions import at_path
from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    Reader,
    b64,
    bearer,
    first,
    from_address,
    from_name,
    given,
    header,
    on,
    path,
    people,
    person,
    text,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.signing import hmac_hex, same

_EVENTS = Events(
    name="data.type",
    names={
        "sent": "sent",
        "delivered": "delivered",
        "deferred": "deferred",
        "soft_bounced": "soft_bounced",
        "hard_bounced": "bounced",
        "suppressed": "dropped",
        "opened": "opened",
        "clicked": "clicked",
        "unsubscribed": "unsubscribed",
        "spam_complaint": "complained",
        "spam_complaints": "complained",
    },
    message_id=("data.message_id", "data.email.message.id"),  # second: the older webhooks
    at=("data.created_at", "created_at"),
    id=("data.id",),
    target=("data.recipient", "data.email.recipient.email"),
    reason=("data.meta.bounce_reason", "data.meta.suppression_reason", "data.morph.reason"),
)


class MailerSend(EmailProvider):
    id = "mailersend"
    name = "MailerSend"
    docs = "https://developers.mailersend.com/api/v1/email.html"
    credentials = (
        secret("apiKey", "API token", help="Integrations > API tokens; with email access."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "The signing secret of the webhook: Domains > yours > Webhooks."
    cannot = frozenset({"custom_data", "ip_pool"})
    accepted = on(
        SENT, at=Reader(lambda r: at_path(r.json(), "warnings.0.type") != "ALL_SUPPRESSED")
    )
    message_id = header("x-message-id")
    reason = first(path("message"), path("warnings.0.warning"))
    rules = (
        on(BAD_RECIPIENT, 202, at="warnings"),
        on(BAD_RECIPIENT, 422, at=text, like=r'"(to|cc|bcc)\.\d'),
        on(BAD_CREDENTIALS, 422, at=text, like=r'"from\.|verified'),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        body = given(
            from_=person(from_address(message, credentials), from_name(message, credentials)),
            to=people(message.to),
            cc=people(message.cc),
            bcc=people(message.bcc),
            reply_to=person(message.reply_to) if message.reply_to else None,
            subject=message.subject,
            text=message.text,
            html=message.html,
            headers=[{"name": name, "value": value} for name, value in message.headers.items()],
            attachments=[
                given(
                    filename=a.name,
                    content=b64(a.content),
                    disposition="inline" if a.cid else "attachment",
                    id=a.cid,
                )
                for a in message.attachments
            ],
        )
        return Request(
            url="https://api.mailersend.com/v1/email",
            headers=bearer(credentials.api_key),
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        expected = hmac_hex(signing_key, webhook.body)
        return bool(signing_key) and same(webhook.headers.get("signature", ""), expected)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
