"""Stream: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiKey": "key-000001"}
SENT = Response(status=200, headers={"x-webhook-id": "gs1"}, body=b"{}")
SENT_ID = "gs1"
CALLS = [
    Call(
        url="https://chat.example/hook",
        auth={"x-api-key": "key-000001"},
        body={"text!": str},
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=404, body=b"Not found"), "bad_recipient"),
    (Response(status=403, body=b"Forbidden"), "bad_credentials"),
]
