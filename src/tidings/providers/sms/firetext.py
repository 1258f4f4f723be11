"""FireText. https://www.firetext.co.uk/docs

Answers are text: `0:1 SMS successfully queued`, or another code. The list of codes is from memory
of the vendor's page and may lack some.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, found, from_number, header, on, text
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.exchange import Form, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT

_CODE = found(r"^\s*(\d+):")


class FireText(SmsProvider):
    id = "firetext"
    name = "FireText"
    docs = "https://www.firetext.co.uk/docs"
    credentials = (secret("apiKey", "API key", help="FireText > Settings > API."), FROM_PHONE)
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=text, like="^0:")
    message_id = header("x-message")
    sent_at = header("date")
    rules = (
        on(BAD_CREDENTIALS, at=_CODE, among=(1, 3, 6)),
        on(BAD_RECIPIENT, at=_CODE, among=(2,)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://www.firetext.co.uk/api/sendsms",
            body=Form(
                {
                    "apiKey": credentials.api_key,
                    "to": digits(message.to),
                    "from": from_number(message, credentials),
                    "message": message.content,
                    "reference": message.id,
                }
            ),
        )
