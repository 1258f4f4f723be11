"""Infobip. https://www.infobip.com/docs/api/channels/email/send-fully-featured-email

Of text and HTML it delivers the HTML only. Not confirmed: how webhooks can be signed (so the
address carries a token), and every name of the tracking notifications.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import address, by_target, first, from_line, on, path
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.events import Events, entries, objects
from tidings.providers.exchange import Multipart, Part, Request, Response, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    SENT,
    Event,
    Outcome,
    Result,
    Verdict,
)
from tidings.providers.signing import knows_secret


def _name(entry: Mapping[str, Any]) -> Any:
    status = entry.get("status")
    return status.get("groupName") if isinstance(status, Mapping) else entry.get("notificationType")


_EVENTS = Events(
    name=_name,
    names={
        "PENDING": "queued",
        "DELIVERED": "delivered",
        "UNDELIVERABLE": "bounced",
        "EXPIRED": "failed",
        "REJECTED": "rejected",
        "OPENED": "opened",
        "CLICKED": "clicked",
        "COMPLAINED": "complained",
        "UNSUBSCRIBED": "unsubscribed",
    },
    message_id=("messageId",),
    at=("doneAt", "sendDateTime", "sentAt"),
    target=("to", "recipient"),
    reason=("error.description", "status.description"),
)


class InfobipEmail(EmailProvider):
    id = "infobip-email"
    name = "Infobip"
    docs = "https://www.infobip.com/docs/api/channels/email/send-fully-featured-email"
    credentials = (
        secret("apiKey", "API key", help="Developer tools > API keys; with the email scope."),
        need(
            "baseUrl", "Base URL", help="Of the account, as on its start page: xyz.api.infobip.com."
        ),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Infobip calls."
    cannot = frozenset({"text beside html"})
    reason = first(
        path("requestError.serviceException.validationErrors"),
        path("requestError.serviceException.text"),
    )
    rules = (
        on(
            BAD_RECIPIENT,
            400,
            at="requestError.serviceException.validationErrors",
            like=r'"(to|cc|bcc)\b',
        ),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        fields: list[tuple[str, str | None]] = [
            ("from", from_line(message, credentials)),
            *(("to", each) for each in message.to),
            *(("cc", each) for each in message.cc),
            *(("bcc", each) for each in message.bcc),
            ("replyTo", message.reply_to),
            ("subject", message.subject),
            ("text", message.text if message.html is None else None),
            ("html", message.html),
            ("headers", _json(message.headers)),
            ("callbackData", _json(message.custom_data)),
            ("ipPoolId", message.ip_pool),
        ]
        parts = [Part(name=name, content=value) for name, value in fields if value is not None]
        for a in message.attachments:
            # An inline part is found by its file name.
            kind, name = ("inlineImage", a.cid) if a.cid else ("attachment", a.name)
            parts.append(Part(name=kind, content=a.content, filename=name, mime=a.mime))
        return Request(
            url=f"{address(credentials.base_url)}/email/3/send",
            headers={"Authorization": f"App {credentials.api_key}", "Accept": "application/json"},
            body=Multipart(tuple(parts)),
        )

    def parse_response(self, response: Response) -> Result:
        told = objects(path("messages")(response))
        if 200 <= response.status < 300 and told:
            return by_target([_verdict(each) for each in told], response.status)
        result = super().parse_response(response)
        if result.outcome == SENT:
            return Result(outcome=BAD_REQUEST, reason=response.text()[:500], status=response.status)
        return result

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook, "results") or entries(webhook))


def _json(data: Mapping[str, Any]) -> str | None:
    return msgspec.json.encode(dict(data)).decode() if data else None


def _verdict(told: Mapping[str, Any]) -> Verdict:
    status = told.get("status")
    status = status if isinstance(status, Mapping) else {}
    outcome: Outcome = BAD_RECIPIENT
    if status.get("groupName") in ("PENDING", "DELIVERED", "ACCEPTED"):
        outcome = SENT
    elif any(word in str(status.get("name")) for word in ("CREDITS", "SENDER", "SOURCE")):
        outcome = BAD_CREDENTIALS
    return Verdict(
        target=str(told.get("to", "")),
        outcome=outcome,
        id=str(told.get("messageId") or "") or None,
        reason="" if outcome == SENT else str(status.get("description") or status.get("name")),
    )
