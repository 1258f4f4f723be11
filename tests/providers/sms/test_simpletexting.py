"""SimpleTexting: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "from": "15005550001"}
SENT = Response(status=201, body=b'{"id":"st1","credits":1}')
SENT_ID = "st1"
CALLS = [
    Call(
        url="https://api-app2.simpletexting.com/v2/api/messages",
        auth={"authorization": "Bearer key-000001"},
        body={
            "contactPhone!": "15005550006",
            "accountPhone": "15005550001",
            "mode!": ("AUTO", "SINGLE_SMS_STRICTLY", "MMS_PREFERRED"),
            "text!": str,
        },
        answer=SENT,
    )
]
REFUSALS = [
    (
        Response(status=409, body=b'{"code":"CONFLICT","message":"Contact is unsubscribed"}'),
        "bad_recipient",
    ),
    (Response(status=409, body=b'{"message":"text is too long"}'), "bad_request"),
    (Response(status=401, body=b'{"message":"Unauthorized"}'), "bad_credentials"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'{"type":"NON_DELIVERED_REPORT","values":{"messageId":"st1",'
            b'"contactPhone":"15005550006","timestamp":"2026-01-01T00:00:00Z"}}'
        ),
        KEY,
        [Event(message_id="st1", happened="failed", at=NOW, target="15005550006")],
    ),
    (
        called(b'{"type":"INCOMING_MESSAGE","values":{"messageId":"st2"}}'),
        KEY,
        [],
    ),
]
