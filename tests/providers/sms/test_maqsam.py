"""Maqsam: a fake written from its page, and what it reports."""

from base64 import b64encode

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiKey": "key-000001", "secretKey": "secret-000001", "from": "Tidings"}
SENT = Response(status=200, body=b'{"message":{"identifier":"mq1","timestamp":1767225600}}')
SENT_ID = "mq1"
CALLS = [
    Call(
        url="https://api.maqsam.com/v2/sms",
        auth={"authorization": "Basic " + b64encode(b"key-000001:secret-000001").decode()},
        mime="application/x-www-form-urlencoded",
        body={"to!": "+15005550006", "message!": str, "sender!": "Tidings"},
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=400, body=b'{"message":"invalid phone number"}'), "bad_recipient"),
    (Response(status=400, body=b'{"message":"empty"}'), "bad_request"),
    (Response(status=403, body=b'{"message":"forbidden"}'), "bad_credentials"),
]
