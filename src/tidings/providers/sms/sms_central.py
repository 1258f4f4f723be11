"""SMS Central, Australia. https://www.smscentral.com.au/sms-api/

It answers 200 with the body `0`, or with an error as a number, text or XML. Its codes could not be
found: errors are told by their words. It gives no id; ours goes with the message as REFERENCE.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, first, from_number, on, text, xml
from tidings.providers.credentials import may, need, secret
from tidings.providers.exchange import Form, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT


class SmsCentral(SmsProvider):
    id = "sms-central"
    name = "SMS Central"
    docs = "https://www.smscentral.com.au/sms-api/"
    credentials = (
        need("user", "User name", help="The one for the API."),
        secret("password", "Password", help="Of that user."),
        need("from", "From", format="sender", help="`shared` for a number of the vendor's pool."),
        may(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://my.smscentral.com.au/api/v3.2",
            help="Only if the vendor names another.",
        ),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=text, among=("0",))
    reason = first(xml("errormessage"), xml(".//errormessage"), text)
    rules = (
        on(BAD_CREDENTIALS, 200, like="user ?name|password|authent|account|credit|originator"),
        on(BAD_RECIPIENT, 200, like="recipient|number|mobile"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=credentials.base_url,
            body=Form(
                {
                    "ACTION": "send",
                    "USERNAME": credentials.user,
                    "PASSWORD": credentials.password,
                    "ORIGINATOR": from_number(message, credentials),
                    "RECIPIENT": digits(message.to),
                    "MESSAGE_TEXT": message.content,
                    "REFERENCE": message.id,
                }
            ),
        )
