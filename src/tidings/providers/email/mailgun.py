"""Mailgun. https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages"""

from datetime import timedelta
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    address,
    bare,
    basic,
    first,
    from_line,
    moment,
    on,
    path,
    strings,
    text,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Multipart, Part, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, Event
from tidings.providers.signing import hmac_hex, is_recent, same

_RETRIES = timedelta(hours=9)
"""Mailgun repeats an event for eight hours; repetition is noticed by the event's id."""


def _name(entry: Any) -> Any:
    return f"failed {entry.get('severity')}" if entry.get("event") == "failed" else entry["event"]


_EVENTS = Events(
    name=lambda entry: _name(entry) if isinstance(entry.get("event"), str) else None,
    names={
        "accepted": "queued",
        "delivered": "delivered",
        "failed temporary": "deferred",
        "failed permanent": "bounced",
        "rejected": "rejected",
        "opened": "opened",
        "clicked": "clicked",
        "unsubscribed": "unsubscribed",
        "complained": "complained",
    },
    message_id=("message.headers.message-id",),
    at=("timestamp",),
    id=("id",),
    target=("recipient",),
    reason=("delivery-status.message", "delivery-status.description", "reason"),
)


class Mailgun(EmailProvider):
    id = "mailgun"
    name = "Mailgun"
    docs = "https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages"
    credentials = (
        secret("apiKey", "API key", help="Account settings > API security."),
        need("domain", "Domain", format="host", help="The sending domain: Sending > Domains."),
        FROM_EMAIL,
        SENDER_NAME,
        need("user", "User", default="api", help="Almost always `api`."),
        need(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://api.mailgun.net",
            help="https://api.eu.mailgun.net for a domain in the EU.",
        ),
    )
    webhook_key = "The HTTP webhook signing key: Account settings > API security."
    cannot = frozenset({"ip_pool"})
    message_id = bare(path("id"))
    reason = first(path("message"), text)
    rules = (
        on(BAD_CREDENTIALS, 404),  # no such domain in this account
        on(BAD_RECIPIENT, 400, at="message", like=r"'(to|cc|bcc)' parameter"),
        on(BAD_CREDENTIALS, 400, at="message", like=r"'from' parameter"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        fields: list[tuple[str, str | None]] = [
            ("from", from_line(message, credentials)),
            *(("to", each) for each in message.to),
            *(("cc", each) for each in message.cc),
            *(("bcc", each) for each in message.bcc),
            ("subject", message.subject),
            ("text", message.text),
            ("html", message.html),
            ("h:Reply-To", message.reply_to),
            *((f"h:{name}", value) for name, value in message.headers.items()),
            *((f"v:{name}", value) for name, value in strings(message.custom_data).items()),
        ]
        parts = [Part(name=name, content=value) for name, value in fields if value is not None]
        for a in message.attachments:
            # An inline part is found by its file name.
            kind, name = ("inline", a.cid) if a.cid else ("attachment", a.name)
            parts.append(Part(name=kind, content=a.content, filename=name, mime=a.mime))
        return Request(
            url=f"{address(credentials.base_url)}/v3/{credentials.domain}/messages",
            headers=basic(credentials.user, credentials.api_key),
            body=Multipart(tuple(parts)),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        for signed in entries(webhook, "signature"):
            stamp, token = str(signed.get("timestamp", "")), str(signed.get("token", ""))
            expected = hmac_hex(signing_key, (stamp + token).encode())
            return (
                bool(signing_key)
                and same(str(signed.get("signature", "")), expected)
                and is_recent(webhook, moment(stamp), _RETRIES)
            )
        return False

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook, "event-data"))
