"""Burst SMS: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "secretKey": "secret-000001", "from": "Tidings"}


def refused(code: str, text: str, status: int = 400) -> Response:
    body = {"error": {"code": code, "description": text}}
    return Response(status=status, body=msgspec.json.encode(body))


SENT = Response(
    status=200,
    body=b'{"message_id":31,"send_at":"2026-01-01 00:00:00","recipients":1,'
    b'"error":{"code":"SUCCESS","description":"OK"}}',
)
SENT_ID = "31"
CALLS = [
    Call(
        url="https://api.transmitsms.com/send-sms.json",
        auth={"authorization": "Basic " + b64encode(b"key-000001:secret-000001").decode()},
        mime="application/x-www-form-urlencoded",
        body={"message!": str, "to!": "15005550006", "from": "Tidings"},
        answer=SENT,
        denied=refused("AUTH_FAILED", "Authentication failed", 401),
    )
]
REFUSALS = [
    (refused("RECIPIENTS_ERROR", "None"), "bad_recipient"),
    (refused("FIELD_INVALID", "to is not a number"), "bad_recipient"),
    (refused("FIELD_INVALID", "validity is wrong"), "bad_request"),
    (refused("FIELD_EMPTY", "message"), "bad_request"),
    (refused("LEDGER_ERROR", "No funds"), "bad_credentials"),
    (refused("BAD_CALLER_ID", "Not yours"), "bad_credentials"),
    (refused("OVER_LIMIT", "Slow down", 429), "throttled"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            message_id="31",
            status="delivered",
            mobile="15005550006",
            datetime="2026-01-01 00:00:00",
        ),
        KEY,
        [Event(message_id="31", happened="delivered", at=NOW, target="15005550006")],
    ),
    (
        called(message_id="31", status="hard-bounce"),
        KEY,
        [Event(message_id="31", happened="bounced")],
    ),
]
