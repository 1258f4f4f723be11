"""Apple Push Notification service.
https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns

Overrides: topic, pushType, priority, expiry, collapseId and id become headers; everything else
goes into `aps`, where contentAvailable, mutableContent and threadId may be spelled so.
"""

from collections.abc import Generator
from typing import Any
from urllib.parse import quote

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import given, header, on, path, uuid_for
from tidings.providers.credentials import may, need, secret
from tidings.providers.exchange import Conversation, Grant, Json, Request, Response, Token
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    SENT,
    THROTTLED,
    Result,
)
from tidings.providers.overrides import PASSTHROUGH, deep
from tidings.providers.signing import BadKeyError, jwt

_SECONDS = 2400.0
"""Apple refuses tokens older than an hour, and new ones within twenty minutes."""

_HEADERS = {
    "topic": "apns-topic",
    "pushType": "apns-push-type",
    "priority": "apns-priority",
    "expiry": "apns-expiration",
    "collapseId": "apns-collapse-id",
    "id": "apns-id",
}
_APS = {
    "contentAvailable": "content-available",
    "mutableContent": "mutable-content",
    "threadId": "thread-id",
}


class Apns(PushProvider):
    id = "apns"
    name = "Apple Push Notification service"
    docs = "https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns"
    tested = "Over a real HTTP/2 connection to a server of ours."
    credentials = (
        secret(
            "secretKey",
            "Private key",
            format="pem",
            help="The text of the .p8 file: developer.apple.com > Certificates > Keys.",
        ),
        need("apiKey", "Key id", help="Ten characters, beside the key."),
        need("projectName", "Team id", help="Ten characters: developer.apple.com > Membership."),
        need("applicationId", "Bundle id", help="Of the app, such as com.example.app."),
        may("secure", "Production", help="Off: the sandbox, for builds made with Xcode."),
    )
    message_id = header("apns-id")
    reason = path("reason")
    rules = (
        on(
            BAD_RECIPIENT,
            at="reason",
            among=("BadDeviceToken", "DeviceTokenNotForTopic", "Unregistered", "ExpiredToken"),
        ),
        on(
            BAD_CREDENTIALS, 400, at="reason", among=("BadTopic", "TopicDisallowed", "MissingTopic")
        ),
        on(THROTTLED, at="reason", like="^TooMany"),
    )

    def send_request(self, message: PushMessage, credentials: Credentials, token: str) -> Request:
        host = "api.push.apple.com" if credentials.secure else "api.sandbox.push.apple.com"
        asked = {name: value for name, value in message.overrides.items() if name != PASSTHROUGH}
        device = message.targets[0]
        headers = {
            "authorization": f"bearer {token}",
            "apns-topic": credentials.application_id,
            "apns-push-type": "alert",
            "apns-priority": "10",
            "apns-id": uuid_for(message.id, device),
            **{_HEADERS[name]: str(asked.pop(name)) for name in list(asked) if name in _HEADERS},
        }
        alert = given(title=message.title, body=message.content)
        aps = {_APS.get(name, name): _flag(name, value) for name, value in asked.items()}
        return Request(
            url=f"https://{host}/3/device/{quote(device, safe='')}",
            headers=headers,
            body=Json({**message.payload, "aps": deep({"alert": alert}, aps)}),
            overrides="passthrough",
            http2=True,
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        def obtain() -> Generator[Request, Response, Grant | Result]:
            yield from ()
            claims = {"iss": credentials.project_name, "iat": int(message.at.timestamp())}
            try:
                head = {"kid": credentials.api_key}
                return Grant(jwt("ES256", credentials.secret_key, claims, head), _SECONDS)
            except BadKeyError as error:
                return Result(outcome=BAD_CREDENTIALS, reason=str(error))

        token = yield Token(obtain=obtain)
        response: Response = yield self.send_request(message, credentials, token)
        if self.reason(response) == "ExpiredProviderToken":
            token = yield Token(obtain=obtain, again=True)
            response = yield self.send_request(message, credentials, token)
        return self.parse_response(response)

    def parse_response(self, response: Response) -> Result:
        result = super().parse_response(response)
        if result.outcome == SENT:
            return result
        code = str(self.reason(response) or "") or None
        hint = ""
        if code == "BadDeviceToken":
            # Before a token is forgotten: it may only have been sent to the wrong environment.
            hint = (
                ": no device has this token, or it belongs to the other of sandbox and production"
            )
        return msgspec.structs.replace(result, reason=result.reason + hint, code=code)


def _flag(name: str, value: Any) -> Any:
    return int(value) if name in ("contentAvailable", "mutableContent") else value
