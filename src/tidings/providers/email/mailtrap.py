"""Mailtrap. https://docs.mailtrap.io/developers/email-sending/transactional"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    bearer,
    first,
    from_address,
    from_name,
    given,
    on,
    path,
    people,
    person,
    strings,
    text,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT, Event
from tidings.providers.signing import hmac_hex, same

_EVENTS = Events(
    name="event",
    names={
        "delivery": "delivered",
        "open": "opened",
        "click": "clicked",
        "bounce": "bounced",
        "soft bounce": "soft_bounced",
        "spam": "complained",
        "unsubscribe": "unsubscribed",
        "reject": "rejected",
        "suspension": "deferred",
    },
    message_id=("message_id",),
    at=("timestamp",),
    id=("event_id",),
    target=("email",),
    reason=("reason", "response"),
)


class Mailtrap(EmailProvider):
    id = "mailtrap"
    name = "Mailtrap"
    docs = "https://docs.mailtrap.io/developers/email-sending/transactional"
    credentials = (
        secret("apiKey", "API token", help="Sending domains > yours > Integration."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "The signature secret of the webhook: Settings > Webhooks."
    cannot = frozenset({"ip_pool"})
    accepted = on(SENT, at="success", among=(True,))
    message_id = path("message_ids.0")
    reason = first(path("errors.0"), path("errors"), path("error"))
    rules = (on(BAD_RECIPIENT, 400, at=text, like=r"'(to|cc|bcc)'|\brecipient"),)

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
            headers=dict(message.headers),
            attachments=[
                given(
                    filename=a.name,
                    content=b64(a.content),
                    type=a.mime,
                    disposition="inline" if a.cid else "attachment",
                    content_id=a.cid,
                )
                for a in message.attachments
            ],
            custom_variables=strings(message.custom_data),
        )
        return Request(
            url="https://send.api.mailtrap.io/api/send",
            headers=bearer(credentials.api_key),
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        expected = hmac_hex(signing_key, webhook.body)
        return bool(signing_key) and same(webhook.headers.get("mailtrap-signature", ""), expected)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook, "events"))
