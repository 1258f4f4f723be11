"""Netcore, formerly Pepipost. https://emaildocs.netcorecloud.com/reference/send-email

Not confirmed: which field an error about a recipient names; whether the transaction id of an event
is always the message id of the answer; whether events can be signed (so the address carries a
token). Only HTML is taken: plain text goes out wrapped in it.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    as_html,
    b64,
    first,
    from_address,
    from_name,
    given,
    on,
    path,
    people,
    person,
    strings,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=lambda entry: str(entry.get("EVENT", "")).lower(),
    names={
        "send": "sent",
        "sent": "sent",
        "open": "opened",
        "opened": "opened",
        "click": "clicked",
        "clicked": "clicked",
        "bounce": "bounced",
        "bounced": "bounced",
        "invalid": "bounced",
        "drop": "dropped",
        "dropped": "dropped",
        "spam": "complained",
        "unsub": "unsubscribed",
        "unsubscribed": "unsubscribed",
    },
    message_id=("TRANSID",),
    at=("TIMESTAMP",),
    target=("EMAIL",),
    reason=("RESPONSE", "BOUNCE_REASON"),
)


class Netcore(EmailProvider):
    id = "netcore"
    name = "Netcore"
    docs = "https://emaildocs.netcorecloud.com/reference/send-email"
    credentials = (
        secret("apiKey", "API key", help="Settings > Integrations of the email dashboard."),
        FROM_EMAIL,
        SENDER_NAME,
        may("region", "Region", help="`eu` for an account in the EU; otherwise leave it empty."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Netcore calls."
    cannot = frozenset({"text beside html", "inline attachments"})
    accepted = on(SENT, at="status", among=("success",))
    message_id = first(path("data.message_id"), path("data.message_ids.0"))
    reason = first(path("error.0.description"), path("error.0.message"), path("error"))
    rules = (
        on(BAD_RECIPIENT, at="error.0.field", like=r"\b(to|cc|bcc)\b"),
        on(BAD_CREDENTIALS, at="error.0.field", like=r"\bfrom\b"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        host = "apieu" if credentials.region.lower() == "eu" else "emailapi"
        body = given(
            from_=person(from_address(message, credentials), from_name(message, credentials)),
            reply_to=person(message.reply_to)["email"] if message.reply_to else None,
            subject=message.subject,
            content=[{"type": "html", "value": as_html(message)}],
            personalizations=[
                given(
                    to=people(message.to),
                    cc=[{"email": each["email"]} for each in people(message.cc)],
                    bcc=[{"email": each["email"]} for each in people(message.bcc)],
                    attachments=[
                        {"name": a.name, "content": b64(a.content)} for a in message.attachments
                    ],
                    headers=dict(message.headers),
                    attributes=strings(message.custom_data),
                )
            ],
            settings=given(ip_pool=message.ip_pool),
        )
        return Request(
            url=f"https://{host}.netcorecloud.net/v5.1/mail/send",
            headers={"api_key": credentials.api_key},
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
