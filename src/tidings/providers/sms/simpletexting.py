"""SimpleTexting, United States and Canada. https://simpletexting.com/api/docs/v2/

The shape of its errors could not be confirmed. Reports are not signed: `?token=`.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import bearer, digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("type"),
    names={
        "delivery_report": "delivered",
        "non_delivered_report": "failed",
        "unsubscribe_report": "unsubscribed",
    },
    message_id=("values.messageId",),
    at=("values.timestamp",),
    target=("values.contactPhone",),
)


class SimpleTexting(SmsProvider):
    id = "simpletexting"
    name = "SimpleTexting"
    docs = "https://simpletexting.com/api/docs/v2/"
    credentials = (secret("apiKey", "API key", help="Settings > API."), FROM_PHONE)
    webhook_key = (
        "A long random text of yours; add ?token=<text> to the address SimpleTexting calls."
    )
    cannot = frozenset({"custom_data"})
    message_id = path("id")
    reason = first(path("message"), path("details"))
    rules = (on(BAD_RECIPIENT, 400, 404, 409, like="unsubscribed|contactPhone|invalid phone"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api-app2.simpletexting.com/v2/api/messages",
            headers=bearer(credentials.api_key),
            body=Json(
                {
                    "contactPhone": digits(message.to),
                    "accountPhone": digits(from_number(message, credentials)),
                    "mode": "AUTO",
                    "text": message.content,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
