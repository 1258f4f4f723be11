"""Gupshup Enterprise SMS, India. https://docs.gupshup.io/docs/sms-api

Answers are text: `success | number | id` or `error | code | text`. The ids that Indian law asks
for, `principalEntityId` and `dltTemplateId`, are taken from the custom data. Reports are not
signed: the key must stand in the address (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, found, from_number, given, is_gsm, on, text
from tidings.providers.credentials import may, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Form, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, RETRYABLE, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_CODE = found(r"^\s*error\s*\|\s*(\d+)")
_EVENTS = Events(
    name=word("eventType", "status"),
    names={
        "sent": "sent",
        "delivered": "delivered",
        "success": "delivered",
        "failed": "failed",
        "fail": "failed",
        "undelivered": "failed",
        "unknown": "sent",
    },
    message_id=("externalId",),
    at=("eventTs", "deliveredTS"),
    target=("destAddr", "phoneNo"),
    reason=("cause",),
)


class Gupshup(SmsProvider):
    id = "gupshup"
    name = "Gupshup"
    docs = "https://docs.gupshup.io/docs/sms-api"
    credentials = (
        need("user", "User id", help="Of the enterprise SMS account."),
        secret("password", "Password", help="Of the enterprise SMS account."),
        may("from", "Mask", format="sender", help="The approved sender name."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Gupshup calls."
    accepted = on(SENT, at=text, like=r"^success\b")
    message_id = found(r"^\s*success\s*\|[^|]*\|\s*([^\s|]+)")
    reason = found(r"^\s*error\s*\|[^|]*\|\s*(.+)")
    rules = (
        on(BAD_RECIPIENT, at=_CODE, among=(105,)),
        on(BAD_CREDENTIALS, at=_CODE, among=(102, 103, 104, 108)),
        on(RETRYABLE, at=_CODE, among=(100,)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://enterprise.smsgupshup.com/GatewayAPI/rest",
            body=Form(
                given(
                    method="sendMessage",
                    send_to=digits(message.to),
                    msg=message.content,
                    msg_type="text" if is_gsm(message.content) else "Unicode_text",
                    userid=credentials.user,
                    auth_scheme="plain",
                    password=credentials.password,
                    v="1.1",
                    format="text",
                    mask=from_number(message, credentials),
                    principalEntityId=message.custom_data.get("principalEntityId"),
                    dltTemplateId=message.custom_data.get("dltTemplateId"),
                )
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([*entries(webhook), webhook.query])
