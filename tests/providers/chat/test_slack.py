"""Slack: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

from tidings.providers.chat.slack import Slack
from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage

CREDENTIALS = {"applicationId": "A0001", "clientId": "1.2"}
SENT = Response(status=200, headers={"x-slack-req-id": "sl1"}, body=b"ok")
SENT_ID = "sl1"
CALLS = [
    Call(
        url="https://chat.example/hook",
        body={"text!": str, "blocks": [{"type!": str}], "order": int},
        answer=SENT,
    )
]
REFUSALS = [
    (Response(status=404, body=b"no_service"), "bad_recipient"),
    (Response(status=403, body=b"action_prohibited"), "bad_recipient"),
    (Response(status=410, body=b"channel_is_archived"), "bad_recipient"),
    (Response(status=400, body=b"channel_not_found"), "bad_recipient"),
    (Response(status=400, body=b"invalid_payload"), "bad_request"),
    (Response(status=500, body=b"rollup_error"), "retryable"),
]


async def test_without_a_webhook_nobody_is_called() -> None:
    network, http, _ = fake_network([SENT])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    result = await send(Slack(), CREDENTIALS, ChatMessage(id="m", content="Hi"), network, now)
    assert result.outcome == "bad_recipient"
    assert http.requests == []
