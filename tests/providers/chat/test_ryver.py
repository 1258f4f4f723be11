"""Ryver: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS: dict[str, str] = {}
SENT = Response(status=200)
SENT_ID = None
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={"body!": str, "text!": str, "content!": str},
        answer=SENT,
    )
]
REFUSALS = [(Response(status=404, body=b"Not found"), "bad_recipient")]
