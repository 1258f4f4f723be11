"""The chat webhook."""

from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.chat.chat_webhook import ChatWebhook
from tidings.providers.delivery import send
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.fake import fake_network
from tidings.providers.messages import ChatMessage
from tidings.providers.signing import HmacBody

CREDENTIALS = {"secretKey": "signing-key-0001"}
SENT = Response(status=200, body=b'{"id":"their-id"}')
SENT_ID = "their-id"

MESSAGE = ChatMessage(id="m1", content="Hi", webhook_url="https://chat.example/h", channel="dev")


def test_posts_to_the_subscribers_webhook() -> None:
    request = ChatWebhook().build_request(MESSAGE, Credentials())
    assert request == Request(
        url="https://chat.example/h",
        headers={"Idempotency-Key": "m1"},
        body=Json({"content": "Hi", "webhookUrl": "https://chat.example/h", "channel": "dev"}),
    )


def test_signs_with_the_messages_own_key_first() -> None:
    credentials = Credentials(secret_key="k")
    assert ChatWebhook().build_request(MESSAGE, credentials).signer == HmacBody(key="k")
    own = ChatMessage(id="m", content="", webhook_url="https://c.example", secret_key="own")
    assert ChatWebhook().build_request(own, credentials).signer == HmacBody(key="own")


async def test_without_a_webhook_nobody_is_called() -> None:
    network, http, _ = fake_network()
    message = ChatMessage(id="m", content="Hi")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    result = await send(ChatWebhook(), {}, message, network, now)
    assert result.outcome == "bad_recipient"
    assert http.requests == []
