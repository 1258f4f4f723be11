"""Discord: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.providers.chat.discord import Discord
from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import ChatMessage

CREDENTIALS: dict[str, str] = {}
SENT = Response(status=200, body=b'{"id":"d1","timestamp":"2026-01-01T00:00:00.000000+00:00"}')
SENT_ID = "d1"
CALLS = [
    Call(
        url="https://chat.example/hook",
        query={"wait": "true"},
        body={"content!": str, "order": int},
        answer=SENT,
    )
]


def refused(status: int, code: int) -> Response:
    return Response(status=status, body=msgspec.json.encode({"code": code, "message": "no"}))


REFUSALS = [
    (refused(404, 10015), "bad_recipient"),
    (refused(401, 50027), "bad_recipient"),
    (refused(400, 50006), "bad_request"),
    (refused(400, 50035), "bad_request"),
]


async def test_other_keys_of_the_query_stay() -> None:
    network, http, _ = fake_network([Response(status=204)])
    message = ChatMessage(id="m1", content="Hi", webhook_url="https://d.example/h?thread_id=7")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    result = await send(Discord(), {}, message, network, now)
    assert (result.outcome, result.id) == ("sent", "m1")
    assert http.requests[0].url == "https://d.example/h?thread_id=7&wait=true"
