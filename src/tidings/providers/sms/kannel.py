"""Kannel, an SMS gateway of your own. https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html

Kannel gives no id and speaks plain http. For reports, override `dlr-mask` (31) and `dlr-url` with
this service's address followed by `?token=KEY&id=ID&status=%d`, where ID is the message's id here.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, from_number, given, is_gsm, on, text
from tidings.providers.credentials import FROM_PHONE, may, need
from tidings.providers.events import Events
from tidings.providers.exchange import Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_EVENTS = Events(
    name=word("status"),
    names={
        "1": "delivered",
        "2": "failed",
        "4": "queued",
        "8": "sent",
        "16": "rejected",
    },
    message_id=("id",),
)


class Kannel(SmsProvider):
    id = "kannel"
    name = "Kannel"
    docs = "https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html"
    credentials = (
        need(
            "host",
            "Host",
            format="host",
            help="Of your gateway; it must be allowed if its address is private.",
        ),
        need("port", "Port", format="port", help="Of its smsbox: usually 13013."),
        FROM_PHONE,
        may("user", "User name", help="As username of a sendsms-user in its configuration."),
        may("password", "Password", secret=True, help="As password of that sendsms-user."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Kannel calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=text, like=r"^(0|3):")
    rules = (on(BAD_RECIPIENT, 400, like="receiver|recipient"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            method="GET",
            url=f"http://{credentials.host}:{credentials.port}/cgi-bin/sendsms",
            query=given(
                username=credentials.user,
                password=credentials.password,
                from_=from_number(message, credentials),
                to=digits(message.to),
                text=message.content,
                charset="UTF-8",
                coding=None if is_gsm(message.content) else "2",
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([webhook.query])
