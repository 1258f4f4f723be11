"""46elks. https://46elks.com/docs/send-sms

Errors are plain text. Reports are not signed: the key must be the password in the address that
46elks is given, or stand in it (`?token=`).
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, e164, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.events import Events, form
from tidings.providers.exchange import Form, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("status"),
    names={"sent": "sent", "delivered": "delivered", "failed": "failed"},
    message_id=("id",),
    at=("delivered",),
)


class FortySixElks(SmsProvider):
    id = "forty-six-elks"
    name = "46elks"
    docs = "https://46elks.com/docs/send-sms"
    credentials = (
        need(
            "user",
            "API user name",
            help="Dashboard > Account: the API user name, beginning with u.",
        ),
        secret("password", "API password", help="Dashboard > Account, beside the user name."),
        FROM_PHONE,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address 46elks calls."
    cannot = frozenset({"custom_data"})
    message_id = path("id")
    sent_at = path("created")
    rules = (
        on(BAD_CREDENTIALS, 400, 404, like=r"\bfrom\b"),
        on(BAD_RECIPIENT, 400, 404, like="number|invalid to"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.46elks.com/a1/sms",
            headers=basic(credentials.user, credentials.password),
            body=Form(
                {
                    "from": from_number(message, credentials),
                    "to": e164(message.to),
                    "message": message.content,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([form(webhook)])
