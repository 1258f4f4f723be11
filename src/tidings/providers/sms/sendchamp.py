"""Sendchamp. https://sendchamp.readme.io/reference/send-sms-api

Which field of the answer is the message's id could not be confirmed; `business_id`, which looks
like the account's, is not taken. The address is the one that public users call; it can be set.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import address, bearer, digits, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, may, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT


class Sendchamp(SmsProvider):
    id = "sendchamp"
    name = "Sendchamp"
    docs = "https://sendchamp.readme.io/reference/send-sms-api"
    credentials = (
        secret("apiKey", "API key", help="Dashboard > Account settings > API keys."),
        FROM_PHONE,
        may(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://api.sendchamp.com/api/v1",
            help="Only for the sandbox.",
        ),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="status", among=("success",))
    message_id = first(path("data.id"), path("data.uid"), path("data.reference"))
    sent_at = path("data.created_at")
    reason = path("message")
    rules = (
        on(BAD_CREDENTIALS, at="message", like="sender|balance|unauthori|public key"),
        on(BAD_RECIPIENT, at="message", like="phone|number|recipient"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"{address(credentials.base_url)}/sms/send",
            headers={**bearer(credentials.api_key), "Accept": "application/json"},
            body=Json(
                {
                    "to": [digits(message.to)],
                    "message": message.content,
                    "sender_name": from_number(message, credentials),
                    "route": "dnd",
                }
            ),
        )
