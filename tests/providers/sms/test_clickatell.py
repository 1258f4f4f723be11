"""Clickatell: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001"}
SENT = Response(
    status=202,
    body=b'{"messages":[{"apiMessageId":"ck1","accepted":true,"to":"15005550006","error":null}]}',
)
SENT_ID = "ck1"
CALLS = [
    Call(
        url="https://platform.clickatell.com/messages",
        auth={"authorization": "key-000001"},
        body={"to!": ["15005550006"], "content!": str, "from": str, "charset": str},
        answer=SENT,
    )
]


def refused(code: int, text: str, status: int = 202) -> Response:
    message = {
        "apiMessageId": None,
        "accepted": False,
        "error": {"code": code, "description": text},
    }
    return Response(status=status, body=msgspec.json.encode({"messages": [message]}))


REFUSALS = [
    (refused(105, "Invalid Destination Address"), "bad_recipient"),
    (refused(999, "Invalid Destination Address", 400), "bad_recipient"),
    (Response(status=402, body=b'{"error":"No credit"}'), "bad_credentials"),
    (refused(113, "Too many parts"), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'{"messageId":"ck1","statusCode":4,"timestamp":1767225600000,"to":"15005550006",'
            b'"statusDescription":"Received by recipient"}'
        ),
        KEY,
        [
            Event(
                message_id="ck1",
                happened="delivered",
                at=NOW,
                target="15005550006",
                reason="Received by recipient",
            )
        ],
    ),
    (
        called(b'{"apiMessageId":"ck1","statusCode":"012"}'),
        KEY,
        [Event(message_id="ck1", happened="failed")],
    ),
]
