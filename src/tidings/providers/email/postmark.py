"""Postmark. https://postmarkapp.com/developer/api/email-api"""

from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import b64, from_line, given, on, path, strings
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.signing import knows_secret


def _name(entry: Any) -> Any:
    """A bounce is told by its type, a subscription by whether sending ends."""
    match entry.get("RecordType"):
        case "Bounce":
            return kind if (kind := str(entry.get("Type"))) in _EVENTS.names else "Bounce"
        case "SubscriptionChange" if not entry.get("SuppressSending"):
            return None
        case name:
            return name


_EVENTS = Events(
    name=_name,
    names={
        "Delivery": "delivered",
        "Open": "opened",
        "Click": "clicked",
        "SpamComplaint": "complained",
        "SubscriptionChange": "unsubscribed",
        "Bounce": "bounced",
        "SoftBounce": "soft_bounced",
        "Transient": "deferred",
        "DnsError": "deferred",
        "SpamNotification": "complained",
        "BadEmailAddress": "rejected",
        "ManuallyDeactivated": "rejected",
        "Blocked": "rejected",
        "DMARCPolicy": "rejected",
        "SMTPApiError": "failed",
        "Unsubscribe": "unsubscribed",
    },
    message_id=("MessageID",),
    at=("DeliveredAt", "BouncedAt", "ReceivedAt", "ChangedAt"),
    id=("ID",),
    target=("Recipient", "Email"),
    reason=("Description", "Details", "SuppressionReason"),
)


class Postmark(EmailProvider):
    id = "postmark"
    name = "Postmark"
    docs = "https://postmarkapp.com/developer/api/email-api"
    credentials = (
        secret("apiKey", "Server token", help="Servers > yours > API Tokens."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = (
        "A long random text of yours; enter it in Postmark as the password of the webhook's "
        "basic auth, or add ?token=<text> to its address."
    )
    cannot = frozenset({"ip_pool"})
    accepted = on(SENT, at="ErrorCode", among=(0,))
    message_id = path("MessageID")
    sent_at = path("SubmittedAt")
    reason = path("Message")
    rules = (
        on(BAD_RECIPIENT, at="ErrorCode", among=(300, 406)),
        on(BAD_CREDENTIALS, at="ErrorCode", among=(10, 400, 401, 405, 412)),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        body = given(
            From=from_line(message, credentials),
            To=", ".join(message.to),
            Cc=", ".join(message.cc),
            Bcc=", ".join(message.bcc),
            ReplyTo=message.reply_to,
            Subject=message.subject,
            TextBody=message.text,
            HtmlBody=message.html,
            Headers=[{"Name": name, "Value": value} for name, value in message.headers.items()],
            Attachments=[
                given(
                    Name=a.name,
                    Content=b64(a.content),
                    ContentType=a.mime,
                    ContentID=f"cid:{a.cid}" if a.cid else None,
                )
                for a in message.attachments
            ],
            Metadata=strings(message.custom_data),
        )
        return Request(
            url="https://api.postmarkapp.com/email",
            headers={
                "X-Postmark-Server-Token": credentials.api_key,
                "Accept": "application/json",
            },
            body=Json(body),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
