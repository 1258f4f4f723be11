"""Zulip: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS: dict[str, str] = {}
SENT = Response(status=200, body=b'{"result":"success","msg":""}')
SENT_ID = None
CALLS = [Call(url="https://chat.example/hook", body={"text!": str}, answer=SENT)]


def refused(code: str, status: int) -> Response:
    body = {"result": "error", "code": code, "msg": "no"}
    return Response(status=status, body=msgspec.json.encode(body))


REFUSALS = [
    (refused("INVALID_API_KEY", 401), "bad_recipient"),
    (refused("STREAM_DOES_NOT_EXIST", 400), "bad_recipient"),
    (refused("BAD_REQUEST", 400), "bad_request"),
    (refused("RATE_LIMIT_HIT", 429), "throttled"),
]
