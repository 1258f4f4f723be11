"""Clickatell. https://docs.clickatell.com/channels/sms-channels/sms-api-reference/

Uses the platform's message call; the newer One API answers alike, but was not tried. The numbers
of its reports and errors could not all be confirmed. Reports are not signed: `?token=`.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, first, from_number, given, on, path
from tidings.providers.credentials import may, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event
from tidings.providers.reports import word
from tidings.providers.signing import knows_secret

_CODE = first(
    path("messages.0.error.code"),
    path("messages.0.errorCode"),
    path("error.code"),
    path("errorCode"),
)
_EVENTS = Events(
    name=lambda entry: word("statusCode")(entry).zfill(3),
    names={
        "002": "queued",
        "003": "sent",
        "004": "delivered",
        "005": "failed",
        "007": "failed",
        "008": "queued",
        "012": "failed",
    },
    message_id=("messageId", "apiMessageId"),
    at=("timestamp",),
    target=("to",),
    reason=("statusDescription",),
)


class Clickatell(SmsProvider):
    id = "clickatell"
    name = "Clickatell"
    docs = "https://docs.clickatell.com/channels/sms-channels/sms-api-reference/"
    credentials = (
        secret("apiKey", "API key", help="Portal > the SMS integration > API key."),
        may("from", "From", format="sender", help="For two-way numbers only."),
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Clickatell calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="messages.0.accepted", among=(True,))
    message_id = path("messages.0.apiMessageId")
    reason = first(
        path("messages.0.error.description"),
        path("error.description"),
        path("messages.0.error"),
        path("error"),
        path("errorDescription"),
    )
    rules = (
        on(BAD_RECIPIENT, at=_CODE, among=(105,)),
        on(BAD_RECIPIENT, like="invalid destination"),
        on(BAD_CREDENTIALS, at=_CODE, among=(108, 301)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://platform.clickatell.com/messages",
            headers={"Authorization": credentials.api_key, "Accept": "application/json"},
            body=Json(
                given(
                    to=[digits(message.to)],
                    content=message.content,
                    from_=from_number(message, credentials),
                )
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
