"""BulkSMS: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiToken": "token-id:token-secret-1", "from": "Tidings"}
SENT = Response(
    status=201,
    body=b'[{"id":"b1","type":"SENT","status":{"type":"ACCEPTED"},'
    b'"submission":{"id":"s1","date":"2026-01-01T00:00:00Z"}}]',
)
SENT_ID = "b1"


def refused(status: int, detail: str) -> Response:
    body = {"type": "https://x", "title": "No", "status": status, "detail": detail}
    return Response(status=status, body=msgspec.json.encode(body))


CALLS = [
    Call(
        url="https://api.bulksms.com/v1/messages",
        query={"auto-unicode": "true"},
        auth={"authorization": "Basic " + b64encode(b"token-id:token-secret-1").decode()},
        body={"to!": "+15005550006", "body!": str, "from": "Tidings", "userSuppliedId": str},
        answer=SENT,
    )
]
REFUSALS = [
    (refused(400, "The 'to' field is not a valid number"), "bad_recipient"),
    (refused(400, "Unable to read the body"), "bad_request"),
    (refused(403, "Not enough credits"), "bad_credentials"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'[{"id":"b1","to":"15005550006","status":{"type":"FAILED","subtype":"EXPIRED"}},'
            b'{"id":"b2","status":{"type":"DELIVERED"}}]'
        ),
        KEY,
        [
            Event(message_id="b1", happened="failed", target="15005550006", reason="EXPIRED"),
            Event(message_id="b2", happened="delivered"),
        ],
    )
]
