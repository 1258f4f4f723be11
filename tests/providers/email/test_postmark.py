"""Postmark."""

from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "pm-token-00001", "from": "news@example.com", "senderName": "News"}
SENT = Response(
    status=200,
    body=b'{"To":"ada@example.com","SubmittedAt":"2026-01-01T10:00:00.0000000-05:00",'
    b'"MessageID":"b7bc2f4a","ErrorCode":0,"Message":"OK"}',
)
SENT_ID = "b7bc2f4a"
CALLS = [
    Call(
        url="https://api.postmarkapp.com/email",
        auth={"x-postmark-server-token": "pm-token-00001"},
        headers={"accept": "application/json"},
        body={
            "From!": str,
            "To!": str,
            "Cc": str,
            "Bcc": str,
            "ReplyTo": str,
            "Subject": str,
            "TextBody": str,
            "HtmlBody": str,
            "Headers": [{"Name!": str, "Value!": str}],
            "Attachments": [
                {"Name!": str, "Content!": str, "ContentType!": str, "ContentID": "cid:logo"}
            ],
            "Tag": str,
            "Metadata": {"*": str},
            "MessageStream": str,
            "TrackOpens": bool,
            "TrackLinks": str,
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"ErrorCode":10,"Message":"Bad or missing API token."}'),
    )
]


def _error(code: int, status: int = 422) -> Response:
    return Response(status=status, body=f'{{"ErrorCode":{code},"Message":"m"}}'.encode())


REFUSALS = [
    (_error(300), "bad_recipient"),
    (_error(406), "bad_recipient"),
    (_error(10, 401), "bad_credentials"),
    (_error(400), "bad_credentials"),
    (_error(405), "bad_credentials"),
    (_error(402), "bad_request"),
    (_error(0, 500), "retryable"),
]
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_BASIC = {"authorization": "Basic dGlkaW5nczpwb3N0bWFyay1zZWNyZXQ="}


def _webhook(body: bytes) -> Webhook:
    return Webhook(url="https://tidings.example/in", headers=_BASIC, body=body, at=_AT)


WEBHOOKS = [
    (
        _webhook(
            b'{"RecordType":"Delivery","MessageID":"b7bc2f4a","Recipient":"ada@example.com",'
            b'"DeliveredAt":"2026-01-01T00:00:00Z","Details":"ok"}'
        ),
        "postmark-secret",
        [
            Event(
                message_id="b7bc2f4a",
                happened="delivered",
                at=_AT,
                target="ada@example.com",
                reason="ok",
            )
        ],
    ),
    (
        _webhook(
            b'{"RecordType":"Bounce","Type":"Transient","ID":42,"MessageID":"b7bc2f4a",'
            b'"Email":"ada@example.com","BouncedAt":"2026-01-01T00:00:00Z","Description":"later"}'
        ),
        "postmark-secret",
        [
            Event(
                message_id="b7bc2f4a",
                happened="deferred",
                at=_AT,
                id="42",
                target="ada@example.com",
                reason="later",
            )
        ],
    ),
    (
        _webhook(b'{"RecordType":"Bounce","Type":"HardBounce","MessageID":"b"}'),
        "postmark-secret",
        [Event(message_id="b", happened="bounced")],
    ),
    (
        _webhook(b'{"RecordType":"SubscriptionChange","SuppressSending":false,"MessageID":"b"}'),
        "postmark-secret",
        [],
    ),
    (
        _webhook(b'{"RecordType":"SubscriptionChange","SuppressSending":true,"MessageID":"b"}'),
        "postmark-secret",
        [Event(message_id="b", happened="unsubscribed")],
    ),
]
