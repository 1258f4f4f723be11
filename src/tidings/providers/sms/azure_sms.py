"""Azure Communication Services. https://learn.microsoft.com/en-us/rest/api/communication/sms/sms/send

Requests are signed: https://learn.microsoft.com/en-us/rest/api/communication/authentication
Reports come through Event Grid, which does not sign them: the key stands in the address.
"""

import hashlib
import re
import uuid
from datetime import datetime
from email.utils import format_datetime
from urllib.parse import urlsplit

import msgspec

from tidings.domain.conditions import at_path
from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import b64, e164, first, from_number, on, path
from tidings.providers.credentials import FROM_PHONE, secret
from tidings.providers.events import Events, entries
from tidings.providers.exchange import (
    Conversation,
    Encoded,
    Json,
    Request,
    Response,
    Webhook,
)
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    RETRYABLE,
    SENT,
    THROTTLED,
    Event,
    Result,
)
from tidings.providers.reports import word
from tidings.providers.signing import from_base64, hmac_base64, knows_secret

_STATUS = path("value.0.httpStatusCode")
_EVENTS = Events(
    name=word("data.deliveryStatus", "data.DeliveryStatus"),
    names={"delivered": "delivered", "failed": "failed", "expired": "failed"},
    message_id=("data.messageId", "data.MessageId"),
    at=("eventTime",),
    id=("id",),
    target=("data.to", "data.To"),
    reason=("data.deliveryStatusDetails",),
)
_HANDSHAKE = "Microsoft.EventGrid.SubscriptionValidationEvent"


class AzureHmac(msgspec.Struct, frozen=True, kw_only=True):
    """Signs method, address, date and body with the access key."""

    key: str
    at: datetime

    def headers(self, request: Encoded) -> dict[str, str]:
        url = urlsplit(request.url)
        date = format_datetime(self.at, usegmt=True)
        digest = b64(hashlib.sha256(request.body).digest())
        place = url.path + (f"?{url.query}" if url.query else "")
        signed = f"{request.method}\n{place}\n{date};{url.netloc};{digest}"
        signature = hmac_base64(from_base64(self.key) or b"", signed.encode())
        return {
            "x-ms-date": date,
            "x-ms-content-sha256": digest,
            "Authorization": "HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256"
            f"&Signature={signature}",
        }


class AzureSms(SmsProvider):
    id = "azure-sms"
    name = "Azure SMS"
    docs = "https://learn.microsoft.com/en-us/rest/api/communication/sms/sms/send"
    credentials = (
        secret("accessKey", "Connection string", help="endpoint=https://...;accesskey=..."),
        FROM_PHONE,
    )
    webhook_key = "A long random text of yours; add ?token=<text> to the address Azure SMS calls."
    cannot = frozenset({"custom_data"})
    accepted = on(SENT, at="value.0.successful", among=(True,))
    message_id = path("value.0.messageId")
    reason = first(path("value.0.errorMessage"), path("error.message"))
    rules = (
        on(BAD_RECIPIENT, at=_STATUS, among=(400,)),
        on(BAD_CREDENTIALS, at=_STATUS, among=(401, 403, 404)),
        on(THROTTLED, at=_STATUS, among=(429,)),
        on(RETRYABLE, at=_STATUS, like="^5"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        endpoint, key = _connection(credentials.access_key) or ("", "")
        recipient = {
            "to": e164(message.to),
            "repeatabilityRequestId": str(uuid.uuid5(uuid.NAMESPACE_OID, message.id)),
            "repeatabilityFirstSent": format_datetime(message.at, usegmt=True),
        }
        return Request(
            url=f"{endpoint}/sms",
            query={"api-version": "2021-03-07"},
            body=Json(
                {
                    "from": from_number(message, credentials),
                    "smsRecipients": [recipient],
                    "message": message.content,
                    "smsSendOptions": {"enableDeliveryReport": True, "tag": message.id},
                }
            ),
            signer=AzureHmac(key=key, at=message.at),
        )

    def converse(self, message: SmsMessage, credentials: Credentials) -> Conversation:
        if _connection(credentials.access_key) is None:
            return Result(
                outcome=BAD_CREDENTIALS,
                reason="The connection string must read endpoint=https://...;accesskey=...",
            )
        return (yield from super().converse(message, credentials))

    def answer_webhook(self, webhook: Webhook, signing_key: str) -> Response | None:
        codes = [
            at_path(said, "data.validationCode")
            for said in entries(webhook)
            if said.get("eventType") == _HANDSHAKE
        ]
        if not codes or not knows_secret(webhook, signing_key):
            return None
        body = msgspec.json.encode({"validationResponse": codes[0]})
        return Response(status=200, headers={"content-type": "application/json"}, body=body)

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        return knows_secret(webhook, signing_key)

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        return _EVENTS.read(entries(webhook))


def _connection(text: str) -> tuple[str, str] | None:
    """Endpoint and key of a connection string; None when it is not one."""
    parts = dict(part.partition("=")[::2] for part in text.strip().split(";") if part)
    named = {name.strip().lower(): value.strip() for name, value in parts.items()}
    endpoint, key = named.get("endpoint", "").rstrip("/"), named.get("accesskey", "")
    if not re.fullmatch(r"https?://[^/\s]+", endpoint) or not from_base64(key):
        return None
    return endpoint, key
