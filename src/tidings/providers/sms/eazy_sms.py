"""Eazy. https://developer.eazy.im/

Whether the text belongs in `text` or, as for its WhatsApp channel, in `body`, and how its errors
look, could not be confirmed. The sender is the channel's.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import bearer, digits, first, on, path
from tidings.providers.credentials import need, secret
from tidings.providers.exchange import Json, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_RECIPIENT


class EazySms(SmsProvider):
    id = "eazy-sms"
    name = "Eazy SMS"
    docs = "https://developer.eazy.im/"
    credentials = (
        secret("apiKey", "API key", help="From the vendor, with the account."),
        need("channelId", "Channel id", help="Of the SMS channel in the dashboard."),
    )
    cannot = frozenset({"custom_data", "from_"})
    message_id = path("id")
    reason = first(path("message"), path("error"))
    rules = (on(BAD_RECIPIENT, 400, 404, 422, like="phone|recipient|number"),)

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"https://api.eazy.im/v3/channels/{credentials.channel_id}/messages/"
            f"{digits(message.to)}@sms.eazy.im",
            headers=bearer(credentials.api_key),
            body=Json({"message": {"text": message.content, "type": "text"}}),
        )
