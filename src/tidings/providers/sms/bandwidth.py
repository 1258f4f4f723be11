"""Bandwidth. https://dev.bandwidth.com/docs/messaging/createMessage

Reports are not signed: the key must be the password of the callback's Basic authentication.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, e164, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, may, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("type"),
    names={
        "message-sending": "sent",
        "message-delivered": "delivered",
        "message-failed": "failed",
    },
    message_id=("message.id",),
    at=("time",),
    target=("to",),
    reason=("description",),
)


class Bandwidth(SmsProvider):
    id = "bandwidth"
    name = "Bandwidth"
    docs = "https://dev.bandwidth.com/docs/messaging/createMessage"
    credentials = (
        need("user", "User name", help="Of an API user of the account."),
        secret("password", "Password", help="Of that API user."),
        need("accountSid", "Account id", help="Dashboard > Account, at the top."),
        FROM_PHONE,
        may("applicationId", "Application id", help="Without it the account id is sent."),
    )
    webhook_key = (
        "A long random text of yours; enter it as the password of the callback's Basic auth."
    )
    cannot = frozenset({"custom_data"})
    message_id = path("id")
    sent_at = path("time")
    reason = path("description")
    rules = (on(BAD_RECIPIENT, 400, at="fieldErrors.0.fieldName", like=r"^to\b"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"https://messaging.bandwidth.com/api/v2/users/{credentials.account_sid}/messages",
            headers=basic(credentials.user, credentials.password),
            body=Json(
                {
                    "applicationId": credentials.application_id or credentials.account_sid,
                    "to": [e164(message.to)],
                    "from": from_number(message, credentials),
                    "text": message.content,
                    "tag": message.id,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
