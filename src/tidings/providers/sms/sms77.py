"""seven, once sms77. https://docs.seven.io/en/rest-api/endpoints/sms

Failures come with the status 200 and a code in the body, or the code alone as text. Reports are
signed when the account asks for it, as in seven's own client:
https://github.com/seven-io/js-client/blob/main/src/lib/WebhookVerifier.ts
Without a signature the key must stand in the address (`?token=`).
"""

import hashlib
from datetime import timedelta

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import digits, first, from_number, moment, on, path, text
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import Json, Request, Webhook
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    RETRYABLE,
    SENT,
    Event,
)
from tidings.providers.reports import word
from tidings.providers.signing import hmac_hex, is_recent, knows_secret, same

_CODE = first(path("messages.0.error"), path("success"), text)
_WINDOW = timedelta(minutes=5)
_EVENTS = Events(
    name=word("data.status"),
    names={
        "accepted": "queued",
        "transmitted": "sent",
        "buffered": "deferred",
        "delivered": "delivered",
        "notdelivered": "failed",
        "expired": "failed",
        "failed": "failed",
        "rejected": "rejected",
    },
    message_id=("data.msg_id",),
    at=("data.timestamp",),
)


class Sms77(SmsProvider):
    id = "sms77"
    name = "seven (sms77)"
    docs = "https://docs.seven.io/en/rest-api/endpoints/sms"
    credentials = (
        secret("apiKey", "API key", help="Dashboard > Developer > API keys."),
        FROM_PHONE,
    )
    webhook_key = (
        "The signing secret of the account, or a long random text of yours; then add "
        "?token=<text> to the address seven calls."
    )
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="messages.0.success", among=(True,))
    message_id = path("messages.0.id")
    reason = path("messages.0.error_text")
    rules = (
        on(BAD_RECIPIENT, 200, at=_CODE, among=(202,)),
        on(BAD_CREDENTIALS, 200, at=_CODE, among=(201, 300, 306, 500, 900, 902, 903)),
        on(RETRYABLE, 200, at=_CODE, among=(600, 700)),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        return Request(
            url="https://gateway.seven.io/api/sms",
            headers={"X-Api-Key": credentials.api_key, "Accept": "application/json"},
            body=Json(
                {
                    "to": digits(message.to),
                    "from": from_number(message, credentials),
                    "text": message.content,
                    "foreign_id": message.id,
                }
            ),
        )

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        timestamp, nonce, signature = (
            webhook.headers.get(name, "") for name in ("x-timestamp", "x-nonce", "x-signature")
        )
        if not signature:
            return knows_secret(webhook, signing_key)
        digest = hashlib.md5(webhook.body, usedforsecurity=False).hexdigest()
        signed = "\n".join((timestamp, nonce, webhook.method.upper(), webhook.url, digest))
        return (
            bool(signing_key)
            and is_recent(webhook, moment(timestamp), _WINDOW)
            and same(signature.lower(), hmac_hex(signing_key, signed.encode()))
        )

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))
