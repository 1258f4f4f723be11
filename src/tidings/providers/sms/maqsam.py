"""Maqsam. https://portal.maqsam.com/docs/v2/sms

Public users send it a form or JSON; a form is sent. How its errors look could not be confirmed:
they are judged by their HTTP status, and a bad recipient by their words.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, e164, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.exchange import Form, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT


class Maqsam(SmsProvider):
    id = "maqsam"
    name = "Maqsam"
    docs = "https://portal.maqsam.com/docs/v2/sms"
    credentials = (
        secret("apiKey", "Access key id", help="Portal > Integrations > API."),
        secret("secretKey", "Access secret", help="Portal > Integrations > API, beside the id."),
        FROM_PHONE,
    )
    cannot = frozenset({"custom_data"})
    message_id = path("message.identifier")
    sent_at = path("message.timestamp")
    reason = path("message")
    rules = (on(BAD_RECIPIENT, 400, 422, like="phone|recipient"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.maqsam.com/v2/sms",
            headers=basic(credentials.api_key, credentials.secret_key),
            body=Form(
                {
                    "to": e164(message.to),
                    "message": message.content,
                    "sender": from_number(message, credentials),
                }
            ),
        )
