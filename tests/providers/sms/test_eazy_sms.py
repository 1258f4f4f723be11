"""Eazy: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiKey": "key-000001", "channelId": "channel-1"}
SENT = Response(status=200, body=b'{"id":"ez1"}')
SENT_ID = "ez1"
CALLS = [
    Call(
        url="https://api.eazy.im/v3/channels/channel-1/messages/15005550006@sms.eazy.im",
        auth={"authorization": "Bearer key-000001"},
        body={"message!": {"text!": str, "type!": "text"}},
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=400, body=b'{"message":"Invalid phone number"}'), "bad_recipient"),
    (Response(status=400, body=b'{"message":"Empty"}'), "bad_request"),
    (Response(status=403, body=b'{"message":"Forbidden"}'), "bad_credentials"),
]
