"""One message through one vendor, whatever the vendor and the network do."""

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider, PushProvider
from tidings.providers.blocks import path
from tidings.providers.credentials import may, secret
from tidings.providers.delivery import Network, send
from tidings.providers.exchange import Conversation, Grant, Json, Request, Response, Token
from tidings.providers.fake import FakeHttp, FakeMail, fake_network
from tidings.providers.guard import RefusedTargetError
from tidings.providers.messages import Attachment, EmailMessage, PushMessage
from tidings.providers.outcomes import Result
from tidings.providers.transport import UnreachableError

NOW = datetime(2026, 1, 1, tzinfo=UTC)
API_KEY = secret("apiKey", "API key")
KEY = {"apiKey": "key-that-nobody-may-see"}
MAIL = EmailMessage(id="m1", to=("ada@example.com",), subject="Hi", text="Hello")
PUSH = PushMessage(id="m2", targets=("a", "b", "c"), title="Hi", content="Hello")


class Plain(EmailProvider):
    id = "plain"
    name = "Plain"
    credentials = (API_KEY, may("region", "Region", default="eu"))
    cannot = frozenset({"cc", "attachments"})
    message_id = path("id")

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        return Request(
            url=f"https://{credentials.region}.example/{message.at:%Y}",
            headers={"X-Key": credentials.api_key},
            body=Json({"to": list(message.to)}),
        )


class Devices(PushProvider):
    id = "devices"
    name = "Devices"
    credentials = (API_KEY,)
    message_id = path("id")

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        return Request(url="https://push.example", body=Json({"to": message.targets}))


class WithToken(Plain):
    def converse(self, message: EmailMessage, credentials: Credentials) -> Conversation:
        token = yield Token(obtain=self.obtain)
        response = yield Request(url="https://send.example", headers={"X-Token": token})
        if response.status == 401:
            token = yield Token(obtain=self.obtain, again=True)
            response = yield Request(url="https://send.example", headers={"X-Token": token})
        return self.parse_response(response)

    def obtain(self) -> Generator[Request, Response, Grant | Result]:
        response = yield Request(url="https://token.example", overrides="none")
        if response.status != 200:
            return self.parse_response(response)
        return Grant(response.text(), 3600)


class Broken(Plain):
    def parse_response(self, response: Response) -> Result:
        raise KeyError("id")


async def test_sends_with_defaults_and_records_id_and_date() -> None:
    network, http, _ = fake_network([Response(status=200, body=b'{"id":"v1"}')])
    result = await send(Plain(), KEY, MAIL, network, NOW)
    assert (result.outcome, result.id, result.date) == ("sent", "v1", NOW)
    assert http.requests[0].url == "https://eu.example/2026"
    assert [(v.target, v.outcome) for v in result.verdicts] == [("ada@example.com", "sent")]


async def test_our_id_stands_in_where_the_vendor_gives_none() -> None:
    network, _, _ = fake_network()
    assert (await send(Plain(), KEY, MAIL, network, NOW)).id == "m1"


async def test_what_cannot_be_carried_is_reported() -> None:
    network, _, _ = fake_network()
    message = EmailMessage(
        id="m",
        to=("a@b.c",),
        subject="s",
        html="h",
        cc=("c@d.e",),
        attachments=(Attachment(name="a", content=b""),),
    )
    result = await send(Plain(), KEY, message, network, NOW)
    assert result.dropped == ("attachments", "cc")


@pytest.mark.parametrize(
    ("answer", "outcome", "final"),
    [
        (UnreachableError("no route"), "retryable", False),
        (RefusedTargetError("private"), "bad_request", True),
        (Response(status=401), "bad_credentials", True),
        (Response(status=429, headers={"retry-after": "9"}), "throttled", False),
        (Response(status=503), "retryable", False),
        (Response(status=302), "bad_request", True),
    ],
)
async def test_outcomes(answer: Response | Exception, outcome: str, final: bool) -> None:
    network, _, _ = fake_network([answer])
    result = await send(Plain(), KEY, MAIL, network, NOW)
    assert (result.outcome, result.final) == (outcome, final)


async def test_a_missing_credential_fails_before_any_call() -> None:
    network, http, _ = fake_network()
    result = await send(Plain(), {}, MAIL, network, NOW)
    assert (result.outcome, result.reason) == ("bad_credentials", "API key is required.")
    assert http.requests == []


async def test_secrets_are_hidden_in_what_people_read() -> None:
    echo = b'{"error":"key-that-nobody-may-see is wrong"}'
    network, _, _ = fake_network([Response(status=400, body=echo)])
    result = await send(Plain(), KEY, MAIL, network, NOW)
    assert "key-that-nobody-may-see" not in repr(result)
    assert "[hidden] is wrong" in result.reason


async def test_a_fault_in_a_vendor_file_is_an_outcome() -> None:
    network, _, _ = fake_network()
    result = await send(Broken(), KEY, MAIL, network, NOW)
    assert (result.outcome, result.final) == ("bad_request", True)


async def test_each_target_has_its_own_verdict() -> None:
    network, http, _ = fake_network(
        [
            Response(status=200, body=b'{"id":"1"}'),
            Response(status=410),
            Response(status=200, body=b'{"id":"3"}'),
        ]
    )
    result = await send(Devices(), KEY, PUSH, network, NOW)
    assert result.outcome == "sent"
    assert len(http.requests) == 3
    assert [v.outcome for v in result.verdicts] == ["sent", "bad_request", "sent"]


async def test_nobody_to_send_to() -> None:
    network, http, _ = fake_network()
    nobody = PushMessage(id="m", targets=(), title="t", content="c")
    assert (await send(Devices(), KEY, nobody, network, NOW)).outcome == "bad_recipient"
    assert http.requests == []


async def test_a_token_is_kept_until_it_expires_and_per_credentials() -> None:
    network, http, _ = fake_network([Response(status=200, body=b"t1"), Response(status=200)])

    async def urls(credentials: dict[str, str], now: datetime) -> list[str]:
        http.requests.clear()
        await send(WithToken(), credentials, MAIL, network, now)
        return [request.url for request in http.requests]

    both = ["https://token.example", "https://send.example"]
    assert await urls(KEY, NOW) == both
    assert await urls(KEY, NOW + timedelta(minutes=58)) == both[1:]
    assert await urls({"apiKey": "another-key"}, NOW) == both
    assert await urls(KEY, NOW + timedelta(minutes=60)) == both


async def test_a_refused_token_is_got_anew_once() -> None:
    network, http, _ = fake_network(
        [
            Response(status=200, body=b"old"),
            Response(status=401),
            Response(status=200, body=b"new"),
            Response(status=200, body=b'{"id":"x"}'),
        ]
    )
    result = await send(WithToken(), KEY, MAIL, network, NOW)
    assert result.outcome == "sent"
    assert http.requests[-1].headers["X-Token"] == "new"


async def test_a_token_that_is_not_granted_is_the_result() -> None:
    network, http, _ = fake_network([Response(status=403)])
    result = await send(WithToken(), KEY, MAIL, network, NOW)
    assert result.outcome == "bad_credentials"
    assert len(http.requests) == 1


async def test_references_are_resolved_at_send_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    http = FakeHttp()
    allowed = ("env:PROVIDER_*", f"file:{tmp_path}/*")
    network = Network(http, FakeMail(), allowed)
    monkeypatch.setenv("PROVIDER_KEY", "from-environment")
    await send(Plain(), {"apiKey": "env:PROVIDER_KEY"}, MAIL, network, NOW)
    assert http.requests[-1].headers["X-Key"] == "from-environment"
    (tmp_path / "key").write_text("from-file\n")
    await send(Plain(), {"apiKey": f"file:{tmp_path}/key"}, MAIL, network, NOW)
    assert http.requests[-1].headers["X-Key"] == "from-file"


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("env:PROVIDER_MISSING", "no environment variable PROVIDER_MISSING"),
        ("env:HOME", "not allowed"),
        ("file:/etc/passwd", "not allowed"),
        ("file:/run/secrets/../../etc/passwd", "not allowed"),
        ("file:/run/secrets/none-of-this-name", "No such file"),
    ],
)
async def test_references_that_lead_nowhere(reference: str, reason: str) -> None:
    network = Network(FakeHttp(), FakeMail(), ("env:PROVIDER_*", "file:/run/secrets/*"))
    result = await send(Plain(), {"apiKey": reference}, MAIL, network, NOW)
    assert result.outcome == "bad_credentials"
    assert reason in result.reason
