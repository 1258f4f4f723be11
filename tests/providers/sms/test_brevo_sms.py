"""Brevo SMS: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}
SENT = Response(status=201, body=b'{"reference":"r1","messageId":1511882900176220}')
SENT_ID = "1511882900176220"


def refused(code: str, text: str, status: int = 400) -> Response:
    return Response(status=status, body=msgspec.json.encode({"code": code, "message": text}))


CALLS = [
    Call(
        url="https://api.brevo.com/v3/transactionalSMS/sms",
        auth={"api-key": "key-000001"},
        body={
            "sender!": "Tidings",
            "recipient!": "15005550006",
            "content!": str,
            "type": "transactional",
            "unicodeEnabled": bool,
        },
        answer=SENT,
        denied=refused("unauthorized", "Key not found", 401),
    )
]
REFUSALS = [
    (refused("invalid_parameter", "Invalid recipient"), "bad_recipient"),
    (refused("missing_parameter", "content is missing"), "bad_request"),
    (refused("not_enough_credits", "No credit", 402), "bad_credentials"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'{"msg_status":"hard_bounce","messageId":1511882900176220,"to":"15005550006",'
            b'"ts_event":1767225600,"description":"unknown"}'
        ),
        KEY,
        [
            Event(
                message_id="1511882900176220",
                happened="bounced",
                at=NOW,
                target="15005550006",
                reason="unknown",
            )
        ],
    )
]
