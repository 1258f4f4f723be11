"""Vonage SMS, once Nexmo. https://developer.vonage.com/en/api/sms

The answer's status is always 200; each part of a long message has a status of its own. Reports are
signed when the account asks for it: `sig` is an HMAC-SHA1, -SHA256 or -SHA512 with the signature
secret, told apart by its length. Vonage's plain MD5 is not accepted; without a signature the
key must stand in the address (`?token=`).
"""

from datetime import timedelta
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import Reader, digits, from_number, given, is_gsm, moment, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events, objects
from tidings.providers.exchange import Form, Request, Response, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    RETRYABLE,
    SENT,
    THROTTLED,
    Event,
)
from tidings.providers.reports import fields, word
from tidings.providers.signing import Hash, hmac_hex, is_recent, knows_secret, same

_EVENTS = Events(
    name=word("status"),
    names={
        "accepted": "sent",
        "buffered": "deferred",
        "delivered": "delivered",
        "expired": "failed",
        "failed": "failed",
        "rejected": "rejected",
    },
    message_id=("messageId",),
    at=("message-timestamp",),
    target=("msisdn",),
    reason=("err-code",),
)
_WINDOW = timedelta(minutes=5)
_HASHES: dict[int, Hash] = {40: "sha1", 64: "sha256", 128: "sha512"}


def _worst(response: Response) -> Any:
    """The first status of any part that is not 0."""
    parts = path("messages")(response)
    found = [part.get("status") for part in objects(parts)]
    return next((status for status in found if status != "0"), found[0] if found else None)


_STATUS = Reader(_worst)


class Nexmo(SmsProvider):
    id = "nexmo"
    name = "Vonage (Nexmo)"
    docs = "https://developer.vonage.com/en/api/sms"
    credentials = (
        secret("apiKey", "API key", help="Dashboard > API settings."),
        secret("secretKey", "API secret", help="Dashboard > API settings, below the key."),
        FROM_PHONE,
    )
    webhook_key = (
        "The signature secret of the account (Settings > API settings), or a long random text of "
        "yours; then add ?token=<text> to the address Vonage calls."
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at=_STATUS, among=("0",))
    message_id = path("messages.0.message-id")
    reason = path("messages.0.error-text")
    rules = (
        on(THROTTLED, at=_STATUS, among=(1, 10)),
        on(RETRYABLE, at=_STATUS, among=(5,)),
        on(BAD_RECIPIENT, at=_STATUS, among=(6, 7, 29)),
        on(
            BAD_RECIPIENT,
            like=r'"status"\s*:\s*"3"[^}]*"error-text"\s*:\s*"[^"]*(param: to\b|\bto param)',
        ),
        on(BAD_CREDENTIALS, at=_STATUS, among=(4, 8, 9, 14, 15)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        body = {
            "api_key": credentials.api_key,
            "api_secret": credentials.secret_key,
            "client-ref": message.id,
            **given(
                from_=from_number(message, credentials),
                to=digits(message.to),
                text=message.content,
                type=None if is_gsm(message.content) else "unicode",
            ),
        }
        return Request(url="https://rest.nexmo.com/sms/json", body=Form(body))

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        said = fields(webhook)
        signature = str(said.pop("sig", "")).lower()
        hash = _HASHES.get(len(signature))
        if not signature:
            return knows_secret(webhook, signing_key)
        recent = is_recent(webhook, moment(said.get("timestamp")), _WINDOW)
        if not signing_key or hash is None or not recent:
            return False
        signed = "".join(f"&{name}={_plain(value)}" for name, value in sorted(said.items()))
        return same(signature, hmac_hex(signing_key, signed.encode(), hash))

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read([fields(webhook)])


def _plain(value: Any) -> str:
    return str(value).replace("&", "_").replace("=", "_")
