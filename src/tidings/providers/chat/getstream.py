"""Stream Chat. https://getstream.io/chat/docs/

Posts to the subscriber's webhook with the app's key, as other clients of this interface do. That
Stream itself offers such a webhook could not be confirmed; a bridge of one's own can take it.
"""

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import header, on
from tidings.providers.credentials import secret
from tidings.providers.exchange import Request
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage
from tidings.providers.outcomes import BAD_RECIPIENT


class GetStream(HookProvider):
    id = "getstream"
    name = "GetStream"
    docs = "https://getstream.io/chat/docs/"
    credentials = (secret("apiKey", "API key", help="Dashboard > the app > API keys."),)
    message_id = header("x-webhook-id")
    rules = (on(BAD_RECIPIENT, 404, 410),)

    def build_request(self, message: ChatMessage, credentials: Credentials) -> Request:
        request = super().build_request(message, credentials)
        return msgspec.structs.replace(request, headers={"X-API-KEY": credentials.api_key})
