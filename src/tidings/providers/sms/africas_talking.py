"""Africa's Talking. https://developers.africastalking.com/docs/sms/sending/bulk

The user name `sandbox` sends through the sandbox. Reports are not signed: the key must stand in the
address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import e164, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events, form
from tidings.providers.exchange import Form, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    RETRYABLE,
    SENT,
    Event,
)
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_CODE = path("SMSMessageData.Recipients.0.statusCode")
_TEXT = path("SMSMessageData.Message")
_EVENTS = Events(
    name=word("status"),
    names={
        "sent": "sent",
        "submitted": "sent",
        "buffered": "deferred",
        "success": "delivered",
        "rejected": "rejected",
        "failed": "failed",
    },
    message_id=("id",),
    target=("phoneNumber",),
    reason=("failureReason",),
)


class AfricasTalking(SmsProvider):
    id = "africas-talking"
    name = "Africa's Talking"
    docs = "https://developers.africastalking.com/docs/sms/sending/bulk"
    credentials = (
        secret("apiKey", "API key", help="Dashboard > Settings > API Key."),
        need("user", "User name", help="The name of the application; `sandbox` for the sandbox."),
        FROM_PHONE,
    )
    webhook_key = (
        "A long random text of yours; add ?token=<text> to the address Africa's Talking calls."
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=_CODE, among=(100, 101, 102))
    message_id = path("SMSMessageData.Recipients.0.messageId")
    reason = first(path("SMSMessageData.Recipients.0.status"), _TEXT)
    rules = (
        on(BAD_RECIPIENT, at=_CODE, among=(403, 404, 406, 409)),
        on(BAD_CREDENTIALS, at=_CODE, among=(401, 402, 405)),
        on(BAD_CREDENTIALS, at=_TEXT, like="InvalidSenderId|InsufficientBalance"),
        on(RETRYABLE, at=_CODE, among=(407, 500, 501, 502)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        sandbox = "sandbox." if credentials.user == "sandbox" else ""
        return Request(
            url=f"https://api.{sandbox}africastalking.com/version1/messaging",
            headers={"apiKey": credentials.api_key, "Accept": "application/json"},
            body=Form(
                {
                    "username": credentials.user,
                    "to": e164(message.to),
                    "message": message.content,
                    "from": from_number(message, credentials),
                    "bulkSMSMode": "1",
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([form(webhook)])
