"""Generic SMS: your own HTTP gateway, described by the credentials."""

from collections.abc import Generator

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import from_number, given, judge, path
from tidings.providers.credentials import FROM_PHONE, may, need, secret
from tidings.providers.exchange import Conversation, Grant, Json, Request, Response, Token
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, SENT, Result

_TOKEN_SECONDS = 600.0


class GenericSms(SmsProvider):
    id = "generic-sms"
    name = "Generic SMS"
    docs = "docs/how-to/webhook-providers.md"
    credentials = (
        need("baseUrl", "Base URL", format="url", help="Messages are posted to it as JSON."),
        need("apiKeyRequestHeader", "API key header", help="Such as X-Api-Key."),
        secret("apiKey", "API key"),
        FROM_PHONE,
        need("idPath", "Id path", default="id", help="Where the answer has the id, as in data.id."),
        may("secretKeyRequestHeader", "Secret key header"),
        may("secretKey", "Secret key", secret=True),
        may("datePath", "Date path", help="Where the answer has the date, as in data.date."),
        may("authenticateByToken", "Authenticate by token", help="Get a token before sending."),
        may("domain", "Token URL", format="url", help="Asked for a token with the two headers."),
        may(
            "authenticationTokenKey",
            "Token key",
            help="The field of `data` that holds the token, and the header it is sent in.",
        ),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        sender = from_number(message, credentials)
        body = given(
            **message.custom_data,
            to=message.to,
            content=message.content,
            from_=sender,
            id=message.id,
            sender=sender,
        )
        return Request(url=credentials.base_url, headers=_keys(credentials), body=Json(body))

    def converse(self, message: SmsMessage, credentials: Credentials) -> Conversation:
        request = self.build_request(message, credentials)
        if credentials.authenticate_by_token:
            request = yield from _with_token(request, credentials, again=False)
        response = yield request
        if response.status == 401 and credentials.authenticate_by_token:
            request = yield from _with_token(request, credentials, again=True)
            response = yield request
        return judge(
            response,
            message_id=path(credentials.id_path),
            sent_at=path(credentials.date_path),
        )


def _keys(credentials: Credentials) -> dict[str, str]:
    headers = {credentials.api_key_request_header: credentials.api_key}
    if credentials.secret_key_request_header:
        headers[credentials.secret_key_request_header] = credentials.secret_key
    return headers


def _with_token(
    request: Request, credentials: Credentials, again: bool
) -> Generator[Token, str, Request]:
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

    token = yield Token(obtain=obtain, again=again)
    headers = {credentials.authentication_token_key: token}
    return Request(url=request.url, headers=headers, body=request.body)
