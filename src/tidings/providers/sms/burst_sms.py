"""Burst SMS, now Kudosity: the TransmitSMS API. https://developer.transmitsms.com/#send-sms

Reports are not signed: the key must stand in the address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, digits, from_number, given, on, path
from tidings.providers.credentials import may, secret
from tidings.providers.events import Events
from tidings.providers.exchange import Form, Request, Webhook
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

_CODE = path("error.code")
_EVENTS = Events(
    name=word("status"),
    names={
        "delivered": "delivered",
        "pending": "sent",
        "soft-bounce": "soft_bounced",
        "hard-bounce": "bounced",
    },
    message_id=("message_id",),
    at=("datetime",),
    target=("mobile",),
)


class BurstSms(SmsProvider):
    id = "burst-sms"
    name = "Burst SMS"
    docs = "https://developer.transmitsms.com/#send-sms"
    credentials = (
        secret("apiKey", "API key", help="Settings > API settings."),
        secret("secretKey", "API secret", help="Settings > API settings, beside the key."),
        may("from", "From", format="sender", help="Empty for a number of the vendor's pool."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Burst SMS calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=_CODE, among=("SUCCESS",))
    message_id = path("message_id")
    sent_at = path("send_at")
    reason = path("error.description")
    rules = (
        on(BAD_CREDENTIALS, at=_CODE, like="^(AUTH_FAILED|LEDGER_ERROR|NO_ACCESS|BAD_CALLER_ID)"),
        on(BAD_RECIPIENT, at=_CODE, among=("RECIPIENTS_ERROR",)),
        on(BAD_RECIPIENT, like=r'FIELD_INVALID"[^}]*:\s*"(to\b|[^"]*(recipient|number))'),
        on(THROTTLED, at=_CODE, among=("OVER_LIMIT",)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.transmitsms.com/send-sms.json",
            headers=basic(credentials.api_key, credentials.secret_key),
            body=Form(
                given(
                    message=message.content,
                    to=digits(message.to),
                    from_=from_number(message, credentials),
                )
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([fields(webhook)])
