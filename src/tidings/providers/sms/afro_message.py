"""AfroMessage, Ethiopia. https://afromessage.com/developers

It answers 200 also for errors. What its callbacks hold could not be confirmed, so none are taken.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import bearer, digits, first, from_number, given, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT

_ERRORS = first(path("response.errors"), path("response"))


class AfroMessage(SmsProvider):
    id = "afro-message"
    name = "AfroMessage"
    docs = "https://afromessage.com/developers"
    credentials = (
        secret("apiKey", "API token", help="Dashboard > API token."),
        need("senderName", "Sender name", help="An approved sender name of the account."),
        need("from", "Identifier id", format="sender", help="Of the short code to send from."),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="acknowledge", among=("success",))
    message_id = path("response.message_id")
    reason = _ERRORS
    rules = (
        on(BAD_CREDENTIALS, 200, at=_ERRORS, like="sender|identifier|token|balance"),
        on(BAD_RECIPIENT, 200, at=_ERRORS, like="phone|number|recipient|unverified"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            method="GET",
            url="https://api.afromessage.com/api/send",
            headers=bearer(credentials.api_key),
            query=given(
                from_=from_number(message, credentials),
                sender=credentials.sender_name,
                to=digits(message.to),
                message=message.content,
            ),
        )
