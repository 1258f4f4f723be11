"""Firebase Cloud Messaging, the HTTP v1 API.
https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send

A service account signs for an access token: https://developers.google.com/identity/protocols/oauth2/service-account
Overrides: `type: "data"` sends no notification; android, apns, webpush, fcm_options and data go
where FCM has them (also spelled webPush and fcmOptions); everything else extends the notification.
"""

from collections.abc import Generator, Mapping
from typing import Any

import msgspec

from tidings.domain.conditions import at_path
from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import Reader, bearer, first, given, judge, on, path, strings
from tidings.providers.credentials import secret
from tidings.providers.events import objects
from tidings.providers.exchange import (
    Conversation,
    Form,
    Grant,
    Json,
    Request,
    Response,
    Token,
)
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Result
from tidings.providers.overrides import PASSTHROUGH
from tidings.providers.signing import BadKeyError, jwt

_SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
_TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_SECONDS = 3600
_SECTIONS = {
    "android": "android",
    "apns": "apns",
    "webpush": "webpush",
    "webPush": "webpush",
    "fcm_options": "fcm_options",
    "fcmOptions": "fcm_options",
}


def _code(response: Response) -> Any:
    """FCM's own error code, which stands among the details; else the general one."""
    details = objects(at_path(response.json(), "error.details"))
    own = (str(each["errorCode"]) for each in details if "errorCode" in each)
    return next(own, at_path(response.json(), "error.status"))


_ERROR = Reader(_code)


class Fcm(PushProvider):
    id = "fcm"
    name = "Firebase Cloud Messaging"
    docs = "https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send"
    credentials = (
        secret(
            "serviceAccount",
            "Service account",
            format="json",
            help="The whole JSON file: Firebase console > Project settings > Service accounts > "
            "Generate new private key.",
        ),
    )
    message_id = path("name")
    reason = first(path("error.message"), path("error_description"), path("error"))
    rules = (
        on(BAD_RECIPIENT, at=_ERROR, among=("UNREGISTERED", "SENDER_ID_MISMATCH")),
        on(BAD_RECIPIENT, 400, at="error.message", like="registration token"),
    )

    def send_request(self, message: PushMessage, project: str, token: str) -> Request:
        return Request(
            url=f"https://fcm.googleapis.com/v1/projects/{project}/messages:send",
            headers=bearer(token),
            body=Json({"message": {"token": message.targets[0], **_content(message)}}),
            overrides="passthrough",
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        account = _account(credentials)
        token = yield Token(obtain=lambda: self._token(account, message))
        project = str(account.get("project_id", ""))
        response: Response = yield self.send_request(message, project, token)
        if response.status == 401 and _ERROR(response) != "THIRD_PARTY_AUTH_ERROR":
            token = yield Token(obtain=lambda: self._token(account, message), again=True)
            response = yield self.send_request(message, project, token)
        return self.parse_response(response)

    def _token(
        self, account: Mapping[str, Any], message: PushMessage
    ) -> Generator[Request, Response, Grant | Result]:
        url = str(account.get("token_uri") or _TOKEN_URL)
        now = int(message.at.timestamp())
        claims = {
            "iss": account.get("client_email"),
            "scope": _SCOPE,
            "aud": url,
            "iat": now,
            "exp": now + _SECONDS,
        }
        try:
            key = str(account.get("private_key", ""))
            assertion = jwt("RS256", key, claims, {"kid": account.get("private_key_id")})
        except BadKeyError as error:
            return Result(outcome=BAD_CREDENTIALS, reason=str(error))
        form = Form({"grant_type": _GRANT, "assertion": assertion})
        response = yield Request(url=url, body=form, overrides="none")
        token = path("access_token")(response)
        if response.status == 200 and isinstance(token, str) and token:
            seconds = path("expires_in")(response)
            return Grant(token, float(seconds) if isinstance(seconds, int) else _SECONDS)
        refused = judge(response, reason=self.reason, rules=(on(BAD_CREDENTIALS, 400),))
        if refused.outcome != SENT:
            return refused
        return Result(outcome=BAD_CREDENTIALS, reason="Google answered without an access token.")


def _content(message: PushMessage) -> dict[str, Any]:
    asked = {name: value for name, value in message.overrides.items() if name != PASSTHROUGH}
    silent = asked.pop("type", None) == "data"
    own = asked.pop("data", None)
    data = {**message.payload, **(own if isinstance(own, Mapping) else {})}
    sections = {_SECTIONS[name]: asked.pop(name) for name in list(asked) if name in _SECTIONS}
    if silent:
        words = {"title": message.title, "body": message.content, "message": message.content}
        return given(data=strings({**data, **words, **asked}), **sections)
    notification = given(title=message.title, body=message.content) | asked
    return given(notification=notification, data=strings(data), **sections)


def _account(credentials: Credentials) -> Mapping[str, Any]:
    try:
        account = msgspec.json.decode(credentials.service_account)
    except msgspec.DecodeError:
        account = None
    return account if isinstance(account, dict) else {}
