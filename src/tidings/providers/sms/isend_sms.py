"""iSend, Libya. https://isend.com.ly/

The host is the one that public users of the API call; another, send.com.ly, has been seen, so it
can be set. The vendor's list of errors is not public: they are told by their text.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import address, bearer, digits, from_number, given, is_gsm, on, path
from tidings.providers.credentials import may, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT


class ISendSms(SmsProvider):
    id = "isend-sms"
    name = "iSend SMS"
    docs = "https://isend.com.ly/"
    credentials = (
        secret("apiToken", "API token", help="From the vendor, with the account."),
        may("from", "From", format="sender", help="The approved sender id."),
        may(
            "baseUrl",
            "Base URL",
            format="url",
            default="https://isend.com.ly",
            help="Only if the vendor names another.",
        ),
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="status", among=("success",))
    message_id = path("data.uid")
    reason = path("message")
    rules = (
        on(BAD_RECIPIENT, 200, at="message", like="recipient|phone|number"),
        on(BAD_CREDENTIALS, 200, at="message", like="unauthenticated|token|sender|balance|credit"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"{address(credentials.base_url)}/api/v3/sms/send",
            headers={**bearer(credentials.api_token), "Accept": "application/json"},
            body=Json(
                given(
                    recipient=digits(message.to),
                    sender_id=from_number(message, credentials),
                    type="plain" if is_gsm(message.content) else "unicode",
                    message=message.content,
                )
            ),
        )
