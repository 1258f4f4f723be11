"""Bandwidth: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {
    "user": "ada",
    "password": "password-0001",
    "accountSid": "9900001",
    "applicationId": "app-1",
    "from": "+15005550001",
}
SENT = Response(status=202, body=b'{"id":"bw1","time":"2026-01-01T00:00:00.000Z"}')
SENT_ID = "bw1"


def refused(field: str, status: int = 400) -> Response:
    body = {
        "type": "request-validation",
        "description": "no",
        "fieldErrors": [{"fieldName": field, "description": "is invalid"}],
    }
    return Response(status=status, body=msgspec.json.encode(body))


CALLS = [
    Call(
        url="https://messaging.bandwidth.com/api/v2/users/9900001/messages",
        auth={"authorization": "Basic " + b64encode(b"ada:password-0001").decode()},
        body={
            "applicationId!": "app-1",
            "to!": ["+15005550006"],
            "from!": "+15005550001",
            "text!": str,
            "tag": str,
        },
        answer=SENT,
    )
]
REFUSALS = [
    (refused("to"), "bad_recipient"),
    (refused("text"), "bad_request"),
    (
        Response(status=403, body=b'{"type":"forbidden","description":"No such number"}'),
        "bad_credentials",
    ),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"
_BODY = (
    b'[{"type":"message-failed","time":"2026-01-01T00:00:00Z","to":"+15005550006",'
    b'"errorCode":4720,"description":"invalid-destination","message":{"id":"bw1"}},'
    b'{"type":"message-received","message":{"id":"bw2"}}]'
)
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in",
            headers={"authorization": "Basic " + b64encode(f"u:{KEY}".encode()).decode()},
            body=_BODY,
            at=NOW,
        ),
        KEY,
        [
            Event(
                message_id="bw1",
                happened="failed",
                at=NOW,
                target="+15005550006",
                reason="invalid-destination",
            )
        ],
    )
]
