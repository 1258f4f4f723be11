"""ClickSend. https://developers.clicksend.com/docs/messaging/sms

Each message has a status of its own inside a success; the list of statuses is not complete.
Reports are not signed: the key must stand in the address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, e164, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    SENT,
    THROTTLED,
    Event,
)
from tidings.providers.reports import fields, word
from tidings.providers.signing import knows_secret

_STATUS = first(path("data.messages.0.status"), path("response_code"))
_EVENTS = Events(
    name=word("status_code"),
    names={"200": "sent", "201": "delivered", "300": "deferred", "301": "failed"},
    message_id=("message_id",),
    at=("timestamp_send", "timestamp"),
    reason=("error_text",),
)


class ClickSend(SmsProvider):
    id = "clicksend"
    name = "ClickSend"
    docs = "https://developers.clicksend.com/docs/messaging/sms"
    credentials = (
        need("user", "User name", help="Dashboard > API credentials."),
        secret("apiKey", "API key", help="Dashboard > API credentials."),
        FROM_PHONE,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address ClickSend calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="data.messages.0.status", among=("SUCCESS",))
    message_id = path("data.messages.0.message_id")
    sent_at = path("data.messages.0.date")
    reason = first(path("data.messages.0.status"), path("response_msg"))
    rules = (
        on(BAD_RECIPIENT, at=_STATUS, among=("INVALID_RECIPIENT", "COUNTRY_NOT_ENABLED")),
        on(BAD_CREDENTIALS, at=_STATUS, among=("INSUFFICIENT_CREDIT", "INVALID_SENDER_ID")),
        on(THROTTLED, at=_STATUS, among=("THROTTLED",)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        one = {
            "to": e164(message.to),
            "body": message.content,
            "from": from_number(message, credentials),
            "custom_string": message.id,
        }
        return Request(
            url="https://rest.clicksend.com/v3/sms/send",
            headers=basic(credentials.user, credentials.api_key),
            body=Json({"messages": [one]}),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([fields(webhook)])
