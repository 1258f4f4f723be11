"""smsmode: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}


def answered(value: str, detail: str | None = None) -> Response:
    body = {
        "messageId": "sm1",
        "acceptedAt": "2026-01-01T00:00:00+00:00",
        "status": {"value": value, "detail": detail},
    }
    return Response(status=201, body=msgspec.json.encode(body))


SENT = answered("ENROUTE")
SENT_ID = "sm1"
CALLS = [
    Call(
        url="https://rest.smsmode.com/sms/v1/messages",
        auth={"x-api-key": "key-000001"},
        body={
            "recipient!": {"to!": "15005550006"},
            "body!": {"text!": str},
            "from": "Tidings",
            "refClient": str,
        },
        answer=SENT,
    )
]
REFUSALS = [
    (answered("UNDELIVERABLE", "INVALID_PHONE_NUMBER"), "bad_recipient"),
    (answered("UNDELIVERABLE", "BLACKLISTED"), "bad_recipient"),
    (answered("UNDELIVERABLE", "INSUFFICIENT_CREDIT"), "bad_credentials"),
    (answered("UNDELIVERABLE", "DAILY_LIMIT_EXCEEDED"), "bad_credentials"),
    (answered("UNDELIVERABLE", "SPAM"), "bad_request"),
    (Response(status=400, body=b'{"title":"Bad Request","detail":"no"}'), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'{"messageId":"sm1","recipient":{"to":"15005550006"},"status":{"value":"DELIVERED",'
            b'"deliveryDate":"2026-01-01T00:00:00+00:00"}}'
        ),
        KEY,
        [Event(message_id="sm1", happened="delivered", at=NOW, target="15005550006")],
    ),
    (
        called(b'{"messageId":"sm1","status":{"value":"UNDELIVERED","detail":"UNKNOWN"}}'),
        KEY,
        [Event(message_id="sm1", happened="failed", reason="UNKNOWN")],
    ),
]
