"""Mobishastra. https://mshastra.com/

It answers 200 also for errors, which are told by their words. Those could not be confirmed.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import Reader, digits, from_number, is_gsm, on, path
from tidings.providers.credentials import FROM_PHONE, need, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT

_ID = Reader(lambda response: str(path("0.msg_id")(response) or "").strip())


class Mobishastra(SmsProvider):
    id = "mobishastra"
    name = "Mobishastra"
    docs = "https://mshastra.com/"
    credentials = (
        need(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://mshastra.com/sendsms_api_json.aspx",
            help="Only if the vendor names another.",
        ),
        need("user", "Profile id", help="From the vendor, with the account."),
        secret("password", "Password", help="From the vendor, with the account."),
        FROM_PHONE,
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=_ID)
    message_id = _ID
    reason = path("0.str_response")
    rules = (
        on(BAD_CREDENTIALS, 200, at="0.str_response", like="profile|password|credit|sender"),
        on(BAD_RECIPIENT, 200, at="0.str_response", like="mobile|number"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        one = {
            "user": credentials.user,
            "pwd": credentials.password,
            "number": digits(message.to),
            "msg": message.content,
            "sender": from_number(message, credentials),
            "language": "English" if is_gsm(message.content) else "Unicode",
        }
        return Request(url=credentials.base_url, body=Json([one]))
