"""Plunk. https://docs.useplunk.com/api-reference/public-api/sendEmail

Every recipient gets a mail of their own, and `{{name}}` in subject or body is filled in by Plunk.
It has an idempotency key, but refuses a key it has seen even when that attempt failed, so none is
sent. Not confirmed: the form of its errors, which changed with its newer API.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    as_html,
    b64,
    bearer,
    first,
    from_address,
    from_name,
    given,
    on,
    path,
    person,
    text,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT


class Plunk(EmailProvider):
    id = "plunk"
    name = "Plunk"
    docs = "https://docs.useplunk.com/api-reference/public-api/sendEmail"
    credentials = (
        secret("apiKey", "Secret key", help="sk_...: Project settings > API Keys."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    cannot = frozenset(
        {"cc", "bcc", "text beside html", "inline attachments", "custom_data", "ip_pool"}
    )
    accepted = on(SENT, at="success", among=(True,))
    message_id = first(path("data.emails.0.email"), path("emails.0.email"))
    sent_at = first(path("data.timestamp"), path("timestamp"))
    reason = first(path("error.message"), path("message"), path("error"))
    rules = (
        on(BAD_RECIPIENT, 400, 422, at=text, like=r'"(field|path)"\s*:\s*\[?\s*"to\b'),
        on(BAD_CREDENTIALS, 400, 403, 422, at=text, like=r"domain.*not.*verified"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        to = [person(address)["email"] for address in message.to]
        body = given(
            to=to[0] if len(to) == 1 else to,
            subject=message.subject,
            body=as_html(message),
            from_=from_address(message, credentials),
            name=from_name(message, credentials),
            reply=person(message.reply_to)["email"] if message.reply_to else None,
            headers=dict(message.headers),
            attachments=[
                {"filename": a.name, "content": b64(a.content), "contentType": a.mime}
                for a in message.attachments
            ],
        )
        return Request(
            url="https://api.useplunk.com/v1/send",
            headers=bearer(credentials.api_key),
            body=Json(body),
        )
