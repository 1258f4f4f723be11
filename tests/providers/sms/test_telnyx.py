"""Telnyx: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event
from tidings.providers.sms.telnyx import Telnyx

CREDENTIALS = {"apiKey": "key-000001", "messageProfileId": "profile-1", "from": "+15005550001"}
SENT = Response(
    status=200, body=b'{"data":{"id":"t1","received_at":"2026-01-01T00:00:00.000+00:00"}}'
)
SENT_ID = "t1"
CALLS = [
    Call(
        url="https://api.telnyx.com/v2/messages",
        auth={"authorization": "Bearer key-000001"},
        body={
            "to!": "+15005550006",
            "from!": "+15005550001",
            "text!": str,
            "messaging_profile_id!": "profile-1",
        },
        answer=SENT,
    )
]


def refused(code: str, status: int = 400) -> Response:
    errors = [{"code": code, "title": "No", "detail": "Because."}]
    return Response(status=status, body=msgspec.json.encode({"errors": errors}))


REFUSALS = [
    *((refused(code), "bad_recipient") for code in ("40310", "40300", "40001")),
    *((refused(code, 403), "bad_credentials") for code in ("40305", "40013", "20100")),
    (refused("10009", 401), "bad_credentials"),
    (refused("10011", 429), "throttled"),
    (refused("40317", 422), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
_PUBLIC = b64encode(_KEY.public_key().public_bytes_raw()).decode()
_BODY = (
    b'{"data":{"event_type":"message.finalized","id":"e1","occurred_at":"2026-01-01T00:00:00Z",'
    b'"payload":{"id":"t1","to":[{"phone_number":"+15005550006","status":"delivery_failed"}],'
    b'"errors":[{"code":"40008","detail":"Undeliverable"}]}}}'
)


def signed(body: bytes, timestamp: str = "1767225600") -> Webhook:
    signature = b64encode(_KEY.sign(timestamp.encode() + b"|" + body)).decode()
    headers = {"telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp}
    return Webhook(url="https://tidings.example/in", headers=headers, body=body, at=NOW)


WEBHOOKS = [
    (
        signed(_BODY),
        _PUBLIC,
        [
            Event(
                message_id="t1",
                happened="failed",
                at=NOW,
                id="e1",
                target="+15005550006",
                reason="Undeliverable",
            )
        ],
    )
]


def test_an_old_or_changed_report_is_refused() -> None:
    assert not Telnyx().verify_webhook(signed(_BODY, "1767225000"), _PUBLIC)
    changed = msgspec.structs.replace(signed(_BODY), body=_BODY + b" ")
    assert not Telnyx().verify_webhook(changed, _PUBLIC)
