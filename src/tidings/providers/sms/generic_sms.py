"""Generic SMS: your own HTTP gateway, described by the credentials."""

from collections.abc import Generator
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import b64, digits, from_number, given, judge, path
from tidings.providers.credentials import FROM_PHONE, may, need, secret
from tidings.providers.exchange import Conversation, Grant, Json, Request, Response, Token
from tidings.providers.gateway import (
    ANSWER_FIELDS,
    described,
    judge_described,
    request_fields,
    url_check,
    uses,
)
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, SENT, Result

_TOKEN_SECONDS = 600.0
_NAMELESS = (
    "The gateway would not know who calls: name the API key header, or put {{apiKey}} or "
    "{{basicAuth}} into the headers, the body or the address."
)
_KNOWN = (
    "to",
    "toDigits",
    "content",
    "from",
    "id",
    "customData",
    "apiKey",
    "secretKey",
    "basicAuth",
    "token",
)


class GenericSms(SmsProvider):
    id = "generic-sms"
    name = "Generic SMS"
    docs = "docs/how-to/webhook-providers.md"
    credentials = (
        need(
            "baseUrl",
            "Base URL",
            format="url",
            check=url_check(_KNOWN),
            help="Messages are posted to it as JSON, unless the fields below say otherwise.",
        ),
        secret("apiKey", "API key", help="Of your account with the gateway."),
        FROM_PHONE,
        may("apiKeyRequestHeader", "API key header", help="Such as X-Api-Key."),
        may("secretKeyRequestHeader", "Secret key header", help="The same for the secret key."),
        may(
            "secretKey",
            "Secret key",
            secret=True,
            help="If the gateway has a second key, or a password.",
        ),
        *request_fields(_KNOWN),
        *ANSWER_FIELDS,
        may("authenticateByToken", "Authenticate by token", help="Get a token before sending."),
        may("domain", "Token URL", format="url", help="Asked for a token with the two headers."),
        may(
            "authenticationTokenKey",
            "Token key",
            help="The field of `data` that holds the token, and the header it is sent in.",
        ),
    )

    def build_request(
        self, message: SmsMessage, credentials: Credentials, token: str = ""
    ) -> Request:
        sender = from_number(message, credentials)
        said = given(to=message.to, content=message.content, from_=sender, id=message.id)
        body = given(**{**message.custom_data, **said, "sender": sender})
        headers = _keys(credentials)
        if token:
            held = uses(credentials, "token")
            headers = {} if held else {credentials.authentication_token_key: token}
        request = Request(url=credentials.base_url, headers=headers, body=Json(body))
        return described(request, credentials, {**said, **_values(message, credentials, token)})

    def converse(self, message: SmsMessage, credentials: Credentials) -> Conversation:
        if not _is_known_by_something(credentials):
            return Result(outcome=BAD_CREDENTIALS, reason=_NAMELESS)
        if not credentials.authenticate_by_token:
            return (yield from super().converse(message, credentials))
        token = yield _token(credentials, again=False)
        response = yield self.build_request(message, credentials, token)
        if response.status == 401:
            token = yield _token(credentials, again=True)
            response = yield self.build_request(message, credentials, token)
        return self.verdict(response, credentials)

    def verdict(self, response: Response, credentials: Credentials) -> Result:
        return judge_described(response, credentials)


def _is_known_by_something(credentials: Credentials) -> bool:
    if credentials.api_key_request_header:
        return True
    placed = uses(credentials, "apiKey") or uses(credentials, "basicAuth")
    return placed and not credentials.authenticate_by_token


def _values(message: SmsMessage, credentials: Credentials, token: str) -> dict[str, Any]:
    return {
        "toDigits": digits(message.to),
        "customData": dict(message.custom_data),
        "apiKey": credentials.api_key,
        "secretKey": credentials.secret_key,
        "basicAuth": b64(f"{credentials.api_key}:{credentials.secret_key}".encode()),
        "token": token,
    }


def _keys(credentials: Credentials) -> dict[str, str]:
    headers = {
        credentials.api_key_request_header: credentials.api_key,
        credentials.secret_key_request_header: credentials.secret_key,
    }
    return {name: value for name, value in headers.items() if name}


def _token(credentials: Credentials, again: bool) -> Token:
    def obtain() -> Generator[Request, Response, Grant | Result]:
        response = yield Request(
            url=credentials.domain, headers=_keys(credentials), overrides="none"
        )
        token = path(f"data.{credentials.authentication_token_key}")(response)
        if isinstance(token, str) and token:
            return Grant(token, _TOKEN_SECONDS)
        refused = judge(response)
        if refused.outcome != SENT:
            return refused
        return Result(
            outcome=BAD_CREDENTIALS,
            reason=f"The token URL answered without data.{credentials.authentication_token_key}.",
        )

    return Token(obtain=obtain, again=again)
