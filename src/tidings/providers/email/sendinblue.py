"""Brevo, formerly Sendinblue. https://developers.brevo.com/reference/sendtransacemail

Attachments must have one of the file extensions that Brevo lists. Events do not say who sent them:
the address that Brevo calls carries a token.
"""

import json

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    bare,
    first,
    from_address,
    from_name,
    given,
    on,
    path,
    people,
    person,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, Event
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name="event",
    names={
        "request": "queued",
        "delivered": "delivered",
        "deferred": "deferred",
        "soft_bounce": "soft_bounced",
        "hard_bounce": "bounced",
        "invalid_email": "bounced",
        "blocked": "rejected",
        "error": "failed",
        "spam": "complained",
        "complaint": "complained",
        "opened": "opened",
        "unique_opened": "opened",
        "proxy_open": "opened",
        "click": "clicked",
        "unsubscribe": "unsubscribed",
        "unsubscribed": "unsubscribed",
    },
    message_id=("message-id",),
    at=("ts_epoch",),  # the other times are in the time zone of the account
    target=("email",),
    reason=("reason",),
)


class Brevo(EmailProvider):
    id = "sendinblue"
    name = "Brevo"
    docs = "https://developers.brevo.com/reference/sendtransacemail"
    credentials = (
        secret("apiKey", "API key", help="Settings > SMTP & API > API keys."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Brevo calls."
    cannot = frozenset({"inline attachments", "ip_pool"})
    message_id = bare(first(path("messageId"), path("messageIds.0")))
    reason = path("message")
    rules = (
        on(BAD_RECIPIENT, 400, at="message", like=r"\bin (to|cc|bcc)\b|^(to|cc|bcc) is\b"),
        on(BAD_CREDENTIALS, 400, at="message", like=r"\bsender\b"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        headers = dict(message.headers)
        if message.custom_data:
            # Comes back with each event; headers must be ASCII, which this makes of everything.
            headers["X-Mailin-custom"] = json.dumps(dict(message.custom_data))
        body = given(
            sender=person(from_address(message, credentials), from_name(message, credentials)),
            to=people(message.to),
            cc=people(message.cc),
            bcc=people(message.bcc),
            replyTo=person(message.reply_to) if message.reply_to else None,
            subject=message.subject,
            htmlContent=message.html,
            textContent=message.text,
            headers=headers,
            attachment=[{"name": a.name, "content": b64(a.content)} for a in message.attachments],
        )
        return Request(
            url="https://api.brevo.com/v3/smtp/email",
            headers={"api-key": credentials.api_key, "Accept": "application/json"},
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
