"""RingCentral. https://developers.ringcentral.com/api-reference/SMS/createSMSMessage

A user's JWT is exchanged for an access token. `secure` sends through the sandbox, which is being
retired. Reports carry the Verification-Token of the subscription, which is the signing key.
"""

from collections.abc import Generator

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import basic, bearer, e164, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, may, need, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import (
    Conversation,
    Form,
    Grant,
    Json,
    Request,
    Response,
    Token,
    Webhook,
)
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Event, Result
from tidings.providers.reports import word
from tidings.providers.signing import same

_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_EVENTS = Events(
    name=word("body.messageStatus"),
    names={
        "queued": "queued",
        "sent": "sent",
        "delivered": "delivered",
        "deliveryfailed": "failed",
        "sendingfailed": "failed",
    },
    message_id=("body.id",),
    at=("body.lastModifiedTime", "timestamp"),
    id=("uuid",),
    target=("body.to.0.phoneNumber",),
)


class RingCentral(SmsProvider):
    id = "ring-central"
    name = "RingCentral"
    docs = "https://developers.ringcentral.com/api-reference/SMS/createSMSMessage"
    credentials = (
        need("clientId", "Client id", help="Developer console > the app > Credentials."),
        secret("secretKey", "Client secret", help="Developer console > the app > Credentials."),
        secret("token", "JWT", help="Developer console > user menu > Credentials > Create JWT."),
        FROM_PHONE,
        may("secure", "Sandbox", help="Send through the sandbox instead of the real service."),
    )
    webhook_key = "The verification token given when the subscription was created."
    cannot = frozenset({"custom_data"})
    message_id = path("id")
    sent_at = path("creationTime")
    reason = first(path("message"), path("error_description"))
    rules = (
        on(BAD_RECIPIENT, like=r'"CMN-101"[^}]*"parameterName"\s*:\s*"to\b'),
        on(
            BAD_CREDENTIALS, at="errorCode", among=("MSG-246", "InsufficientPermissions", "CMN-408")
        ),
        on(BAD_CREDENTIALS, at="error", among=("invalid_client", "invalid_grant")),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"{_server(credentials)}/restapi/v1.0/account/~/extension/~/sms",
            body=Json(
                {
                    "from": {"phoneNumber": from_number(message, credentials)},
                    "to": [{"phoneNumber": e164(message.to)}],
                    "text": message.content,
                }
            ),
        )

    def converse(self, message: SmsMessage, credentials: Credentials) -> Conversation:
        request = self.build_request(message, credentials)

        def obtain() -> Generator[Request, Response, Grant | Result]:
            response = yield Request(
                url=f"{_server(credentials)}/restapi/oauth/token",
                headers=basic(credentials.client_id, credentials.secret_key),
                body=Form({"grant_type": _GRANT, "assertion": credentials.token}),
                overrides="none",
            )
            token, seconds = path("access_token")(response), path("expires_in")(response)
            if isinstance(token, str) and token:
                return Grant(token, float(seconds) if isinstance(seconds, int) else 600.0)
            refused = self.parse_response(response)
            if refused.outcome != SENT:
                return refused
            return Result(outcome=BAD_CREDENTIALS, reason="RingCentral gave no access token.")

        for again in (False, True):
            token = yield Token(obtain=obtain, again=again)
            response = yield msgspec.structs.replace(request, headers=bearer(token))
            if response.status != 401:
                break
        return self.parse_response(response)

    def answer_webhook(self, webhook: Webhook, signing_key: str) -> Response | None:
        asked = webhook.headers.get("validation-token")
        return Response(status=200, headers={"validation-token": asked}) if asked else None

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        said = webhook.headers.get("verification-token", "")
        return bool(signing_key) and same(said, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))


def _server(credentials: Credentials) -> str:
    sandbox = "devtest." if credentials.secure else ""
    return f"https://platform.{sandbox}ringcentral.com"
