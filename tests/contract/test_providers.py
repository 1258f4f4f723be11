"""What every provider promises. Its own test file gives the rows.

`tests/providers/<channel>/test_<id>.py` has CREDENTIALS (a full set), SENT (the vendor's answer to
a message it takes) and SENT_ID (the id in it, or None when the vendor gives none); and BEFORE, the
answers to the calls that come before the one that sends.
"""

import importlib.util
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from tidings.domain.channels import CHANNELS
from tidings.domain.errors import InvalidError
from tidings.domain.integrations import CREDENTIAL_NAMES
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import check
from tidings.providers.delivery import send
from tidings.providers.exchange import Response, SmtpResponse
from tidings.providers.fake import fake_network
from tidings.providers.messages import (
    AnyMessage,
    ChatMessage,
    EmailMessage,
    InAppMessage,
    PushMessage,
    SmsMessage,
)
from tidings.providers.registry import every

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ALL = list(every().values())
OVER_HTTP = [p for p in ALL if p.id not in ("svc", "svc-email", "svc-sms")]  # these call nobody
_ROOT = Path(__file__).parent.parent.parent
_TESTS = _ROOT / "tests" / "providers"

MESSAGES: dict[str, AnyMessage] = {
    "email": EmailMessage(id="m1", to=("ada@example.com",), subject="Hi", html="<p>Hi</p>"),
    "sms": SmsMessage(id="m1", to="+15005550006", content="Hi"),
    "push": PushMessage(id="m1", targets=("token",), title="Hi", content="Hello"),
    "chat": ChatMessage(
        id="m1", content="Hi", webhook_url="https://chat.example/hook", channel="c", phone="+1500"
    ),
    "in_app": InAppMessage(id="m1", content="Hi"),
}


def named(provider: AnyProvider) -> str:
    return provider.id


@cache
def rows_of(provider: AnyProvider) -> ModuleType:
    path = _TESTS / provider.channel / f"test_{provider.id.replace('-', '_')}.py"
    assert path.is_file(), f"{provider.id} has no test file {path.name}"
    spec = importlib.util.spec_from_file_location(f"rows_{provider.channel}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def sent_with(provider: AnyProvider, answer: Any, **changes: Any) -> Any:
    rows = rows_of(provider)
    smtp = isinstance(rows.SENT, SmtpResponse)
    answers = [*getattr(rows, "BEFORE", []), answer]
    network, http, mail = fake_network([] if smtp else answers, [answer] if smtp else [])
    message = MESSAGES[provider.channel]
    message = msgspec.structs.replace(message, **changes)
    result = await send(provider, rows.CREDENTIALS, message, network, NOW)
    return result, http, mail


@pytest.mark.parametrize("provider", ALL, ids=named)
def test_declares_itself(provider: AnyProvider) -> None:
    assert provider.channel in CHANNELS
    assert provider.name
    assert provider.docs.startswith("https://") or (_ROOT / provider.docs).is_file()
    names = [field.name for field in provider.credentials]
    assert len(set(names)) == len(names)
    assert set(names) <= CREDENTIAL_NAMES
    assert all(field.label and field.help for field in provider.credentials)
    assert set(rows_of(provider).CREDENTIALS) <= set(names)


@pytest.mark.parametrize("provider", ALL, ids=named)
def test_requires_what_it_declares(provider: AnyProvider) -> None:
    credentials = rows_of(provider).CREDENTIALS
    check(provider.credentials, credentials, True, ())
    for field in provider.credentials:
        if field.required and field.default is None:
            left = {name: value for name, value in credentials.items() if name != field.name}
            with pytest.raises(InvalidError) as caught:
                check(provider.credentials, left, True, ())
            problem = caught.value.problems[f"credentials.{field.name}"]
            assert problem.messages == [f"{field.label} is required"]
            check(provider.credentials, left, False, ())


@pytest.mark.parametrize("provider", ALL, ids=named)
async def test_sends(provider: AnyProvider) -> None:
    rows = rows_of(provider)
    result, _, _ = await sent_with(provider, rows.SENT)
    assert result.outcome == "sent", result
    assert result.id == (rows.SENT_ID or "m1")
    assert result.date is not None
    assert result.date.tzinfo is not None


@pytest.mark.parametrize("provider", OVER_HTTP, ids=named)
@pytest.mark.parametrize(
    ("status", "outcomes"),
    [
        (401, {"bad_credentials", "bad_recipient"}),
        (429, {"throttled"}),
        (503, {"retryable"}),
    ],
)
async def test_common_failures(provider: AnyProvider, status: int, outcomes: set[str]) -> None:
    if isinstance(rows_of(provider).SENT, SmtpResponse):
        return
    answer = Response(status=status, headers={"retry-after": "5"}, body=b"<html>no</html>")
    result, _, _ = await sent_with(provider, answer)
    assert result.outcome in outcomes
    if status == 429:
        assert result.retry_after == 5


@pytest.mark.parametrize("provider", OVER_HTTP, ids=named)
@pytest.mark.parametrize("body", [b"", b"[]", b"null", b'"x"', b"\xff\x00", b"<html>"])
async def test_no_answer_breaks_it(provider: AnyProvider, body: bytes) -> None:
    if isinstance(rows_of(provider).SENT, SmtpResponse):
        return
    for status in (200, 400):
        result, _, _ = await sent_with(provider, Response(status=status, body=body))
        assert "adapter" not in result.reason


@pytest.mark.parametrize("provider", OVER_HTTP, ids=named)
async def test_secrets_stay_out_of_the_result(provider: AnyProvider) -> None:
    rows = rows_of(provider)
    secrets = [
        value
        for field in provider.credentials
        if field.secret and isinstance(value := rows.CREDENTIALS.get(field.name), str)
    ]
    echo = " ".join(secrets)
    answer: Any = Response(status=400, body=echo.encode())
    if isinstance(rows.SENT, SmtpResponse):
        answer = SmtpResponse(code=550, text=echo)
    result, _, _ = await sent_with(provider, answer)
    assert not any(secret in repr(result) for secret in secrets)


@pytest.mark.parametrize("provider", OVER_HTTP, ids=named)
async def test_passthrough_reaches_the_wire(provider: AnyProvider) -> None:
    rows = rows_of(provider)
    if isinstance(rows.SENT, SmtpResponse):
        return
    overrides = {
        "_passthrough": {"headers": {"X-Through": "1"}, "query": {"through": "1"}, "body": {"z": 1}}
    }
    _, http, _ = await sent_with(provider, rows.SENT, overrides=overrides)
    last = http.requests[-1]
    assert last.headers["X-Through"] == "1"
    assert "through=1" in last.url
    assert b"z" in last.body or last.method == "GET"
