"""Brevo SMS. https://developers.brevo.com/reference/sendtransacsms

Reports are not signed: the key must stand in the address (`?token=`). The words of its reports
could not all be confirmed.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, from_number, is_gsm, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("msg_status"),
    names={
        "accepted": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "soft_bounce": "soft_bounced",
        "hard_bounce": "bounced",
        "rejected": "rejected",
        "blocked": "rejected",
        "blacklisted": "rejected",
        "unsubscribe": "unsubscribed",
    },
    message_id=("messageId",),
    at=("ts_event", "date"),
    target=("to",),
    reason=("description",),
)


class BrevoSms(SmsProvider):
    id = "brevo-sms"
    name = "Brevo SMS"
    docs = "https://developers.brevo.com/reference/sendtransacsms"
    credentials = (
        secret("apiKey", "API key", help="Brevo > SMTP & API > API keys."),
        need("from", "From", format="sender", help="Up to 11 letters and digits, or 15 digits."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Brevo SMS calls."
    cannot = frozenset({"custom_data"})
    message_id = path("messageId")
    reason = path("message")
    rules = (on(BAD_RECIPIENT, 400, at="message", like="recipient|phone|mobile"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.brevo.com/v3/transactionalSMS/sms",
            headers={"api-key": credentials.api_key, "Accept": "application/json"},
            body=Json(
                {
                    "sender": from_number(message, credentials),
                    "recipient": digits(message.to),
                    "content": message.content,
                    "type": "transactional",
                    "unicodeEnabled": not is_gsm(message.content),
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
