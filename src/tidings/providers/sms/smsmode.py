"""smsmode. https://dev.smsmode.com/sms/v1/message

The shape of its HTTP errors could not be confirmed. Reports are not signed: `?token=`.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_DETAIL = path("status.detail")
_EVENTS = Events(
    name=word("status.value"),
    names={
        "scheduled": "queued",
        "enroute": "sent",
        "delivered": "delivered",
        "undeliverable": "failed",
        "undelivered": "failed",
    },
    message_id=("messageId",),
    at=("status.deliveryDate",),
    target=("recipient.to",),
    reason=("status.detail",),
)


class Smsmode(SmsProvider):
    id = "smsmode"
    name = "smsmode"
    docs = "https://dev.smsmode.com/sms/v1/message"
    credentials = (secret("apiKey", "API key", help="Dashboard > Settings > API keys."), FROM_PHONE)
    webhook_key = "A long random text of yours; add ?token=<text> to the address smsmode calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, like=r'(?s)^(?!.*"value"\s*:\s*"UNDELIVER)')
    message_id = path("messageId")
    sent_at = path("acceptedAt")
    reason = first(_DETAIL, path("detail"), path("message"))
    rules = (
        on(BAD_RECIPIENT, at=_DETAIL, like="INVALID_PHONE_NUMBER|BLACKLISTED"),
        on(BAD_CREDENTIALS, at=_DETAIL, like="INSUFFICIENT_CREDIT|LIMIT_EXCEEDED"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://rest.smsmode.com/sms/v1/messages",
            headers={"X-Api-Key": credentials.api_key, "Accept": "application/json"},
            body=Json(
                {
                    "recipient": {"to": digits(message.to)},
                    "body": {"text": message.content},
                    "from": from_number(message, credentials),
                    "refClient": message.id,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
