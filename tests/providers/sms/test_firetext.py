"""FireText: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call, content_of

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}
SENT = Response(
    status=200,
    headers={"x-message": "ft1", "date": "Thu, 01 Jan 2026 00:00:00 GMT"},
    body=b"0:1 SMS successfully queued",
)
SENT_ID = "ft1"
CALLS = [
    Call(
        url="https://www.firetext.co.uk/api/sendsms",
        known=lambda request: content_of(request)["apiKey"] == "key-000001",
        mime="application/x-www-form-urlencoded",
        body={
            "apiKey!": str,
            "to!": "15005550006",
            "from!": "Tidings",
            "message!": str,
            "reference": str,
        },
        answer=SENT,
        denied=Response(status=200, body=b"1:0 Authentication error"),
    )
]
REFUSALS = [
    (Response(status=200, body=b"2:0 Destination number(s) error"), "bad_recipient"),
    (Response(status=200, body=b"1:0 Authentication error"), "bad_credentials"),
    (Response(status=200, body=b"3:0 From error"), "bad_credentials"),
    (Response(status=200, body=b"6:0 Insufficient credit"), "bad_credentials"),
    (Response(status=200, body=b"5:0 Message error"), "bad_request"),
]
