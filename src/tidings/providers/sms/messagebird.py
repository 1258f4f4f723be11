"""MessageBird, its REST API. https://developers.messagebird.com/api/sms-messaging/

The vendor's newer platform, Bird, is another API with other keys; this one takes keys of the
REST API, and its future could not be confirmed. Reports carry a JWT made with the signing key.
"""

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, RETRYABLE, Event
from tidings.providers.reports import fields, word
from tidings.providers.signing import from_base64, hmac_base64, same, sha256_hex

_EVENTS = Events(
    name=word("status"),
    names={
        "scheduled": "queued",
        "sent": "sent",
        "buffered": "deferred",
        "delivered": "delivered",
        "expired": "failed",
        "delivery_failed": "failed",
    },
    message_id=("id",),
    at=("statusDatetime",),
    target=("recipient",),
    reason=("statusReason",),
)


_URL_SAFE = str.maketrans("+/", "-_")
_NOT_URL_SAFE = str.maketrans("-_", "+/")


class _Header(msgspec.Struct):
    alg: str = ""


class _Claims(msgspec.Struct):
    iss: str = ""
    nbf: float = 0
    exp: float = 0
    url_hash: str = ""
    payload_hash: str | None = None


class MessageBird(SmsProvider):
    id = "messagebird"
    name = "MessageBird"
    docs = "https://developers.messagebird.com/api/sms-messaging/"
    credentials = (
        secret("accessKey", "Access key", help="Dashboard > Developers > API access."),
        FROM_PHONE,
    )
    webhook_key = "The signing key: Dashboard > Developers > Settings."
    cannot = frozenset({"custom_data"})
    message_id = path("id")
    sent_at = path("createdDatetime")
    reason = path("errors.0.description")
    rules = (
        on(BAD_RECIPIENT, at="errors.0.parameter", among=("recipient", "recipients")),
        on(BAD_CREDENTIALS, at="errors.0.code", among=(2, 25)),
        on(RETRYABLE, at="errors.0.code", among=(98, 99)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://rest.messagebird.com/messages",
            headers={"Authorization": f"AccessKey {credentials.access_key}"},
            body=Json(
                {
                    "originator": from_number(message, credentials),
                    "recipients": [digits(message.to)],
                    "body": message.content,
                    "reference": message.id,
                    "datacoding": "auto",
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        token = webhook.headers.get("messagebird-signature-jwt", "")
        claims = _claims(token, signing_key)
        if claims is None or claims.iss != "MessageBird":
            return False
        body_hash = sha256_hex(webhook.body) if webhook.body else ""
        return (
            claims.nbf <= webhook.at.timestamp() + 1
            and webhook.at.timestamp() < claims.exp
            and same(claims.url_hash, sha256_hex(webhook.url.encode()))
            and same(claims.payload_hash or "", body_hash)
        )

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([fields(webhook)])


def _claims(token: str, key: str) -> _Claims | None:
    """What the token says, if it was signed with the key by HMAC-SHA256."""
    head, _, signature = token.rpartition(".")
    header, _, payload = head.partition(".")
    made = hmac_base64(key, head.encode()).translate(_URL_SAFE).rstrip("=")
    if not key or not head or not same(signature, made):
        return None
    try:
        kind = msgspec.json.decode(_plain(header), type=_Header)
        return msgspec.json.decode(_plain(payload), type=_Claims) if kind.alg == "HS256" else None
    except msgspec.DecodeError:
        return None


def _plain(part: str) -> bytes:
    padded = part.translate(_NOT_URL_SAFE) + "=" * (-len(part) % 4)
    return from_base64(padded) or b""
