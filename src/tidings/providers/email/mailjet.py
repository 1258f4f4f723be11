"""Mailjet. https://dev.mailjet.com/email/guides/send-api-v31/"""

from collections.abc import Iterable
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    b64,
    basic,
    files,
    first,
    from_address,
    from_name,
    given,
    inline,
    on,
    path,
    person,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import Attachment, EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.signing import knows_secret


def _name(entry: Any) -> Any:
    hard = entry.get("event") == "bounce" and entry.get("hard_bounce")
    return "hard bounce" if hard else entry.get("event")


_EVENTS = Events(
    name=_name,
    names={
        "sent": "delivered",
        "open": "opened",
        "click": "clicked",
        "bounce": "soft_bounced",
        "hard bounce": "bounced",
        "blocked": "rejected",
        "spam": "complained",
        "unsub": "unsubscribed",
    },
    message_id=("CustomID", "MessageID"),  # the first is ours: each recipient has its own MessageID
    at=("time",),
    target=("email",),
    reason=("error", "comment"),
)


class Mailjet(EmailProvider):
    id = "mailjet"
    name = "Mailjet"
    docs = "https://dev.mailjet.com/email/guides/send-api-v31/"
    credentials = (
        secret("apiKey", "API key", help="Account settings > API key management."),
        secret("secretKey", "Secret key", help="Beside the API key."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Mailjet calls."
    cannot = frozenset({"ip_pool"})
    accepted = on(SENT, at="Messages.0.Status", among=("success",))
    message_id = path("Messages.0.To.0.MessageID")
    reason = first(path("Messages.0.Errors.0.ErrorMessage"), path("ErrorMessage"))
    rules = (
        on(BAD_RECIPIENT, at="Messages.0.Errors.0.ErrorRelatedTo", like=r"\b(To|Cc|Bcc)\b"),
        on(BAD_CREDENTIALS, at="Messages.0.Errors.0.ErrorRelatedTo", like=r"\bFrom\b"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        sender = from_address(message, credentials)
        mail = given(
            From=_people([sender], from_name(message, credentials))[0],
            To=_people(message.to),
            Cc=_people(message.cc),
            Bcc=_people(message.bcc),
            ReplyTo=_people([message.reply_to])[0] if message.reply_to else None,
            Subject=message.subject,
            TextPart=message.text,
            HTMLPart=message.html,
            Headers=dict(message.headers),
            Attachments=[_file(a) for a in files(message)],
            InlinedAttachments=[{**_file(a), "ContentID": a.cid} for a in inline(message)],
            CustomID=message.id,
            EventPayload=_payload(message),
        )
        return Request(
            url="https://api.mailjet.com/v3.1/send",
            headers=basic(credentials.api_key, credentials.secret_key),
            body=Json({"Messages": [mail]}),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))


def _people(addresses: Iterable[str], name: str = "") -> list[dict[str, str]]:
    each = (person(address, name) for address in addresses)
    return [{"Email": one["email"], **given(Name=one.get("name"))} for one in each]


def _file(a: Attachment) -> dict[str, str]:
    return {"ContentType": a.mime, "Filename": a.name, "Base64Content": b64(a.content)}


def _payload(message: EmailMessage) -> str | None:
    data = dict(message.custom_data)
    return msgspec.json.encode(data).decode() if data else None
