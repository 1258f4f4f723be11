"""seven: a fake written from its page, and what it reports."""

import hashlib
import hmac
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event
from tidings.providers.sms.sms77 import Sms77

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}
SENT = Response(
    status=200,
    body=b'{"success":"100","messages":[{"id":"77","success":true,"error":null}]}',
)
SENT_ID = "77"
CALLS = [
    Call(
        url="https://gateway.seven.io/api/sms",
        auth={"x-api-key": "key-000001"},
        headers={"accept": "application/json"},
        body={"to!": "15005550006", "from": "Tidings", "text!": str, "foreign_id": str},
        answer=SENT,
        denied=Response(status=200, body=b"900"),
    )
]


def refused(code: str) -> Response:
    message = {"id": None, "success": False, "error": code, "error_text": "no"}
    body = {"success": code, "messages": [message]}
    return Response(status=200, body=msgspec.json.encode(body))


REFUSALS = [
    (refused("202"), "bad_recipient"),
    *((refused(code), "bad_credentials") for code in ("201", "500", "902", "903")),
    (Response(status=200, body=b"900"), "bad_credentials"),
    (refused("305"), "bad_request"),
    (refused("600"), "retryable"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


_BODY = b'{"webhook_event":"dlr","data":{"msg_id":"77","status":"DELIVERED"}}'


def signed(body: bytes, timestamp: str = "1767225600") -> Webhook:
    url = "https://tidings.example/in"
    text = "\n".join((timestamp, "nonce-1", "POST", url, hashlib.md5(body).hexdigest()))
    signature = hmac.new(b"signing-secret", text.encode(), hashlib.sha256).hexdigest()
    headers = {"x-timestamp": timestamp, "x-nonce": "nonce-1", "x-signature": signature}
    return Webhook(url=url, headers=headers, body=body, at=NOW)


WEBHOOKS = [
    (signed(_BODY), "signing-secret", [Event(message_id="77", happened="delivered")]),
    (
        called(
            b'{"webhook_event":"dlr","data":{"msg_id":"77","status":"NOTDELIVERED",'
            b'"timestamp":"2026-01-01 00:00:00"}}'
        ),
        KEY,
        [Event(message_id="77", happened="failed", at=NOW)],
    ),
    (called(b'{"webhook_event":"sms_mo","data":{"id":"1","text":"STOP"}}'), KEY, []),
]


def test_an_old_or_changed_report_is_refused() -> None:
    assert not Sms77().verify_webhook(signed(_BODY, "1767220000"), "signing-secret")
    changed = msgspec.structs.replace(signed(_BODY), body=_BODY + b" ")
    assert not Sms77().verify_webhook(changed, "signing-secret")
