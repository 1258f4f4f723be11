"""Mattermost: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS: dict[str, str] = {}
SENT = Response(
    status=200,
    headers={"x-request-id": "mm1", "date": "Thu, 01 Jan 2026 00:00:00 GMT"},
    body=b"ok",
)
SENT_ID = "mm1"
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={"text!": str, "channel": "room-1", "order": int},
        answer=SENT,
    )
]


def refused(status: int, id: str) -> Response:
    body = {"id": id, "message": "no", "request_id": "r", "status_code": status}
    return Response(status=status, body=msgspec.json.encode(body))


REFUSALS = [
    (refused(404, "web.incoming_webhook.channel.app_error"), "bad_recipient"),
    (refused(400, "web.incoming_webhook.channel.app_error"), "bad_recipient"),
    (refused(403, "web.incoming_webhook.channel_locked.app_error"), "bad_recipient"),
    (refused(400, "web.incoming_webhook.text.app_error"), "bad_request"),
]
