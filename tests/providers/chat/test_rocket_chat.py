"""Rocket.Chat: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.providers.chat.rocket_chat import RocketChat
from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage

CREDENTIALS = {"token": "token-000001", "user": "user-1"}
SENT = Response(
    status=200,
    body=b'{"success":true,"message":{"_id":"rc1","ts":"2026-01-01T00:00:00.000Z"}}',
)
SENT_ID = "rc1"


def refused(status: int, error: str) -> Response:
    return Response(status=status, body=msgspec.json.encode({"success": False, "error": error}))


CALLS = [
    Call(
        url="https://chat.example/hook/api/v1/chat.sendMessage",
        auth={"x-auth-token": "token-000001", "x-user-id": "user-1"},
        body={"message!": {"rid!": "room-1", "msg!": str}},
        answer=SENT,
    )
]
REFUSALS = [
    (refused(400, "error-room-not-found"), "bad_recipient"),
    (refused(400, "Error, too many requests. Please slow down."), "throttled"),
    (refused(400, "error-message-size-exceeded"), "bad_request"),
    (refused(401, "You must be logged in to do this."), "bad_credentials"),
]


async def test_without_a_room_nobody_is_called() -> None:
    network, http, _ = fake_network([SENT])
    message = ChatMessage(id="m1", content="Hi", webhook_url="https://rocket.example")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    result = await send(RocketChat(), CREDENTIALS, message, network, now)
    assert result.outcome == "bad_recipient"
    assert http.requests == []
