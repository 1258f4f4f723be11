"""Termii. https://developers.termii.com/messaging-api

Newer accounts have an address of their own. How reports are signed is known from public users of
the API only: a hex HMAC-SHA512 of the body with the account's secret key.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import address, digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import hmac_hex, same

_ID = first(path("message_id"), path("message_id_str"))
_EVENTS = Events(
    name=word("status"),
    names={
        "delivered": "delivered",
        "message sent": "sent",
        "sent": "sent",
        "message failed": "failed",
        "failed": "failed",
        "rejected": "rejected",
        "expired": "failed",
        "dnd active on phone number": "failed",
    },
    message_id=("message_id",),
    at=("sent_at",),
    id=("id",),
    target=("receiver",),
)


class Termii(SmsProvider):
    id = "termii"
    name = "Termii"
    docs = "https://developers.termii.com/messaging-api"
    credentials = (
        secret("apiKey", "API key", help="Dashboard > Settings > API."),
        FROM_PHONE,
        may(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://api.ng.termii.com",
            help="Shown on the dashboard, if it is another.",
        ),
    )
    webhook_key = "The secret key of the account, beside the API key."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=_ID)
    message_id = _ID
    reason = path("message")
    rules = (
        on(BAD_CREDENTIALS, at="message", like="insufficient balance|api key|sender"),
        on(BAD_RECIPIENT, at="message", like="phone|number|recipient"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"{address(credentials.base_url)}/api/sms/send",
            body=Json(
                {
                    "to": digits(message.to),
                    "from": from_number(message, credentials),
                    "sms": message.content,
                    "type": "plain",
                    "channel": "generic",
                    "api_key": credentials.api_key,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        said = webhook.headers.get("x-termii-signature", "").lower()
        return bool(signing_key) and same(said, hmac_hex(signing_key, webhook.body, "sha512"))

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
