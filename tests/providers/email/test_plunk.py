"""Plunk."""

from datetime import UTC, datetime

from tidings.providers.email.plunk import Plunk
from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiKey": "sk_plunk_00001", "from": "news@example.com", "senderName": "News"}
SENT = Response(
    status=200,
    body=b'{"success":true,"data":{"emails":[{"contact":{"id":"c1","email":"ada@example.com"},'
    b'"email":"e1"}],"timestamp":"2026-01-01T00:00:00.000Z"}}',
)
SENT_ID = "e1"
CALLS = [
    Call(
        url="https://api.useplunk.com/v1/send",
        auth={"authorization": "Bearer sk_plunk_00001"},
        body={
            "to!": (str, [str]),
            "subject!": str,
            "body!": str,
            "subscribed": bool,
            "name": str,
            "from!": str,
            "reply": str,
            "headers": {"*": str},
            "data": dict,
            "attachments": [{"filename!": str, "content!": str, "contentType!": str}],
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"success":false,"error":{"code":"INVALID_API_KEY","message":"Invalid key"}}',
        ),
    )
]
REFUSALS = [
    (
        Response(
            status=422,
            body=b'{"success":false,"error":{"message":"Invalid request",'
            b'"errors":[{"field":"to","message":"Invalid email","code":"invalid_string"}]}}',
        ),
        "bad_recipient",
    ),
    (
        Response(status=403, body=b'{"error":{"message":"The domain is not verified"}}'),
        "bad_credentials",
    ),
    (Response(status=401, body=b'{"error":"Unauthorized"}'), "bad_credentials"),
    (Response(status=400, body=b'{"message":"Body is required"}'), "bad_request"),
    (Response(status=200, body=b'{"success":false,"message":"no"}'), "bad_request"),
]


def test_the_answer_of_the_older_api() -> None:
    body = (
        b'{"success":true,"emails":[{"contact":{"id":"c"},"email":"e9"}],'
        b'"timestamp":"2026-01-01T00:00:00Z"}'
    )
    result = Plunk().parse_response(Response(status=200, body=body))
    assert (result.id, result.date) == ("e9", datetime(2026, 1, 1, tzinfo=UTC))
