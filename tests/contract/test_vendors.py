"""Every vendor against a fake of it that was written from its page.

Beside what test_providers.py asks for, a vendor's test file has CALLS (the operations of its API,
in order; the last one sends) and REFUSALS (answers that its page shows, with the outcome each must
have). Vendors that report back have WEBHOOKS.
"""

import importlib.util
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from tidings.providers.base import AnyProvider
from tidings.providers.delivery import Network, send
from tidings.providers.exchange import Encoded, Response, Webhook
from tidings.providers.fake import FakeMail
from tidings.providers.fake_vendor import FakeVendor
from tidings.providers.messages import (
    AnyMessage,
    Attachment,
    ChatMessage,
    EmailMessage,
    PushMessage,
    SmsMessage,
)
from tidings.providers.registry import every, known
from tidings.providers.transport import UnreachableError

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_TESTS = Path(__file__).parent.parent / "providers"

SMALLEST: dict[str, AnyMessage] = {
    "email": EmailMessage(id="m1", to=("ada@example.com",), subject="Hi", text="Hi"),
    "sms": SmsMessage(id="m1", to="+15005550006", content="Hi"),
    "push": PushMessage(id="m1", targets=("token",), title="Hi", content="Hello"),
    "chat": ChatMessage(
        id="m1",
        content="Hi",
        webhook_url="https://chat.example/hook",
        channel="room-1",
        phone="+15005550006",
    ),
}
FULLEST: dict[str, AnyMessage] = {
    "email": EmailMessage(
        id="m1",
        to=("Ada <ada@example.com>", "bob@example.com"),
        cc=("cc@example.com",),
        bcc=("bcc@example.com",),
        reply_to="Help <reply@example.com>",
        subject="Grüße",
        html="<p>Hi <img src='cid:logo'></p>",
        text="Hi",
        sender_name="The News",
        headers={"X-Custom": "1"},
        attachments=(
            Attachment(name="a.txt", mime="text/plain", content=b"hello"),
            Attachment(name="logo.png", mime="image/png", content=b"\x89PNG", cid="logo"),
        ),
        custom_data={"order": 7, "tags": ["a"]},
        ip_pool="pool",
    ),
    "sms": SmsMessage(id="m1", to="+15005550006", content="Grüße", custom_data={"order": 7}),
    "push": PushMessage(
        id="m1",
        targets=("token",),
        title="Hi",
        content="Hello",
        payload={"order": 7, "who": {"name": "Ada"}},
    ),
    "chat": ChatMessage(
        id="m1",
        content="Grüße",
        webhook_url="https://chat.example/hook",
        channel="room-1",
        phone="+15005550006",
        blocks=({"type": "divider"},),
        custom_data={"order": 7},
    ),
}


def _rows() -> list[Any]:
    found = []
    for provider in every().values():
        path = _TESTS / provider.channel / f"test_{provider.id.replace('-', '_')}.py"
        if not path.is_file():
            continue
        spec = importlib.util.spec_from_file_location(f"api_{provider.channel}_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "CALLS"):
            found.append(pytest.param(provider, module, id=provider.id))
    return found


VENDORS = _rows()
EMAIL = """emailjs mailgun mailjet mandrill nodemailer postmark sendgrid sendinblue ses netcore
    infobip-email resend plunk mailersend mailtrap outlook365 sparkpost email-webhook braze"""
PUSH = "fcm apns expo one-signal pushpad push-webhook pusher-beams appio"


def test_the_interface_names_no_vendor_that_is_not_here() -> None:
    assert set(known("email")) >= set(EMAIL.split())
    assert set(known("push")) == set(PUSH.split())


async def sent_to(
    provider: AnyProvider,
    rows: ModuleType,
    message: AnyMessage,
    answer: Response | None = None,
    secrets: Mapping[str, str] = {},
) -> tuple[Any, FakeVendor]:
    """Through the fake; `answer` is what the last of its calls says instead."""
    calls = list(rows.CALLS)
    if answer is not None:
        calls[-1] = msgspec.structs.replace(calls[-1], answer=answer)
    fake = FakeVendor(*calls)
    given = {**rows.CREDENTIALS, **secrets}
    return await send(provider, given, message, Network(fake, FakeMail()), NOW), fake


@pytest.mark.parametrize("messages", [SMALLEST, FULLEST], ids=["smallest", "fullest"])
@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_the_vendor_takes_it(
    provider: AnyProvider, rows: ModuleType, messages: dict[str, AnyMessage]
) -> None:
    message = messages[provider.channel]
    result, fake = await sent_to(provider, rows, message)
    assert fake.faults == []
    assert result.outcome == "sent", result
    assert result.id == (rows.SENT_ID or "m1")
    assert set(result.dropped) == provider.parts(message) & provider.cannot


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_another_key_is_turned_away(provider: AnyProvider, rows: ModuleType) -> None:
    secrets = {
        field.name: "another-secret"
        for field in provider.credentials
        if field.secret and field.format is None and field.name in rows.CREDENTIALS
    }
    result, _ = await sent_to(provider, rows, SMALLEST[provider.channel], None, secrets)
    if secrets:
        assert result.outcome == "bad_credentials", result


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_what_the_vendor_says_is_understood(provider: AnyProvider, rows: ModuleType) -> None:
    asks_for_a_key = any(field.required and field.secret for field in provider.credentials)
    assert not asks_for_a_key or "bad_credentials" in {outcome for _, outcome in rows.REFUSALS}
    for answer, outcome in rows.REFUSALS:
        result, fake = await sent_to(provider, rows, SMALLEST[provider.channel], answer)
        assert fake.faults == []
        assert result.outcome == outcome, (answer, result)
        assert result.reason


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_wait_and_trouble(provider: AnyProvider, rows: ModuleType) -> None:
    message = SMALLEST[provider.channel]
    slow_down = Response(status=429, headers={"retry-after": "7"}, body=b"{}")
    result, _ = await sent_to(provider, rows, message, slow_down)
    assert (result.outcome, result.retry_after) == ("throttled", 7)
    result, _ = await sent_to(provider, rows, message, Response(status=503, body=b"<html>"))
    assert result.outcome == "retryable"


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_no_answer_in_time(provider: AnyProvider, rows: ModuleType) -> None:
    class Silent(FakeVendor):
        async def send(self, request: Any) -> Response:
            raise UnreachableError("There was no answer in time.")

    network = Network(Silent(), FakeMail())
    result = await send(provider, rows.CREDENTIALS, SMALLEST[provider.channel], network, NOW)
    assert result.outcome == "retryable"


def _webhooks() -> list[Any]:
    return [
        pytest.param(parameters.values[0], webhook, id=f"{parameters.id}-{number}")
        for parameters in VENDORS
        for number, webhook in enumerate(getattr(parameters.values[1], "WEBHOOKS", []))
    ]


@pytest.mark.parametrize(("provider", "row"), _webhooks())
def test_webhook(provider: AnyProvider, row: Any) -> None:
    webhook, key, expected = row
    assert provider.takes_webhooks()
    assert provider.webhook_key
    assert provider.verify_webhook(webhook, key)
    assert provider.parse_webhook(webhook) == expected
    assert not provider.verify_webhook(webhook, "")
    assert not provider.verify_webhook(webhook, key[:-1] + ("A" if key[-1] != "A" else "B"))
    stripped = msgspec.structs.replace(webhook, headers={}, query={}, body=b"{}")
    assert not provider.verify_webhook(stripped, key)


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b"null", b"[1]", b'{"event":{}}', b"\xff", b"a=b"]
)
def test_no_webhook_breaks_it(provider: AnyProvider, rows: ModuleType, body: bytes) -> None:
    webhook = Webhook(url="https://tidings.example/in", body=body, at=NOW)
    assert not provider.verify_webhook(webhook, "a-key")
    assert provider.parse_webhook(webhook) == []
    assert provider.needs(webhook) is None
    assert provider.confirms(webhook) is None


class Changing(FakeVendor):
    """Gives another answer to the call that sends."""

    changed = Response(status=200)

    async def send(self, request: Encoded) -> Response:
        response = await super().send(request)
        return self.changed if response.status < 300 and self.sends(request) else response

    def sends(self, request: Encoded) -> bool:
        return (request.method, request.url) == list(self._calls)[-1]


@pytest.mark.parametrize(("provider", "rows"), VENDORS)
async def test_an_answer_of_another_form_breaks_nothing(
    provider: AnyProvider, rows: ModuleType
) -> None:
    message, fake = SMALLEST[provider.channel], Changing(*rows.CALLS)
    network = Network(fake, FakeMail())
    for answer in (rows.SENT, *(answer for answer, _ in rows.REFUSALS)):
        for variant in _variants(answer.json()):
            fake.changed = msgspec.structs.replace(answer, body=msgspec.json.encode(variant))
            result = await send(provider, rows.CREDENTIALS, message, network, NOW)
            assert "adapter" not in result.reason, variant


def _variants(value: Any) -> Iterator[Any]:
    """The value with one thing in it replaced by something else, for each thing."""
    yield from (None, 1, "x", [], {}, [1], {"a": {}})
    if isinstance(value, dict):
        for name in value:
            for other in _variants(value[name]):
                yield {**value, name: other}
    if isinstance(value, list):
        for number, item in enumerate(value):
            for other in _variants(item):
                yield [*value[:number], other, *value[number + 1 :]]


@pytest.mark.parametrize(("provider", "row"), _webhooks())
def test_a_webhook_of_another_form_breaks_nothing(provider: AnyProvider, row: Any) -> None:
    webhook, key, _ = row
    try:
        content = msgspec.json.decode(webhook.body)
    except msgspec.DecodeError:
        return
    for variant in _variants(content):
        changed = msgspec.structs.replace(webhook, body=msgspec.json.encode(variant))
        assert isinstance(provider.parse_webhook(changed), list)
        provider.needs(changed)
        provider.confirms(changed)
        provider.verify_webhook(changed, key)
