"""46elks: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"user": "u0001", "password": "password-0001", "from": "Tidings"}
SENT = Response(
    status=200, body=b'{"id":"s1","status":"created","created":"2026-01-01T00:00:00.000000"}'
)
SENT_ID = "s1"
CALLS = [
    Call(
        url="https://api.46elks.com/a1/sms",
        auth={"authorization": "Basic " + b64encode(b"u0001:password-0001").decode()},
        mime="application/x-www-form-urlencoded",
        body={"from!": "Tidings", "to!": "+15005550006", "message!": str},
        answer=SENT,
        denied=Response(status=401, body=b"API access requires Basic HTTP authentication"),
    )
]
REFUSALS = [
    (Response(status=400, body=b"Invalid to number"), "bad_recipient"),
    (Response(status=400, body=b"Invalid from number"), "bad_credentials"),
    (Response(status=400, body=b"Missing key message"), "bad_request"),
    (Response(status=403, body=b"Not enough credits"), "bad_credentials"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(b"id=s1&status=delivered&delivered=2026-01-01T00%3A00%3A00"),
        KEY,
        [Event(message_id="s1", happened="delivered", at=NOW)],
    ),
    (called(b"id=s1&status=failed"), KEY, [Event(message_id="s1", happened="failed")]),
]
