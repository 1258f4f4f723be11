"""iMedia, Vietnam. https://mobilebranding.vn/

Its error codes are not public: they are told by their words. The words of its reports are not
public either, so none are taken.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, from_number, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT


class IMedia(SmsProvider):
    id = "imedia"
    name = "iMedia"
    docs = "https://mobilebranding.vn/"
    credentials = (
        secret("token", "Token", help="From the vendor, with the account."),
        need("from", "Brand name", format="sender", help="As it was registered with the vendor."),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="errorCode", among=("000",))
    message_id = path("referentId")
    reason = path("errorMessage")
    rules = (
        on(BAD_CREDENTIALS, at="errorMessage", like="token|brand|balance|permission|authori"),
        on(BAD_RECIPIENT, at="errorMessage", like="phone|number|mobile"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://api.mobilebranding.vn/api/SMSBrandname/SendSMS",
            headers={"token": credentials.token},
            body=Json(
                {
                    "to": digits(message.to),
                    "from": from_number(message, credentials),
                    "message": message.content,
                    "scheduled": "",
                    "requestId": message.id,
                    "useUnicode": 1,
                    "type": 1,
                }
            ),
        )
