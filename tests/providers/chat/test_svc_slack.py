"""The built-in Slack app: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"hmac": True}
SENT = Response(status=200, body=b"ok")
SENT_ID = None
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={"text!": str, "blocks": [{"type!": str}], "order": int},
        answer=SENT,
    )
]
REFUSALS = [(Response(status=404, body=b"no_service"), "bad_recipient")]
