"""Custom SMTP against a real mail server on this machine."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
from aiosmtpd import smtp as server_side
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.certificates import self_signed
from tidings.providers.delivery import Network, send
from tidings.providers.fake import FakeHttp
from tidings.providers.guard import Guard
from tidings.providers.messages import Attachment, EmailMessage
from tidings.providers.outcomes import Result
from tidings.providers.registry import every
from tidings.providers.smtp import SmtpTransport

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SMTP = every()["nodemailer"]


class Inbox:
    """Keeps what arrives; refuses addresses at refused.example."""

    def __init__(self) -> None:
        self.received: list[Any] = []
        self.sessions: set[int] = set()

    async def take_recipient(
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address.endswith("refused.example"):
            return "550 5.1.1 no such mailbox"
        if address.endswith("busy.example"):
            return "451 4.3.2 try later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def take_content(self, server: Any, session: Any, envelope: Any) -> str:
        self.received.append(envelope)
        self.sessions.add(id(session))
        return "554 5.6.0 refused content" if b"forbidden" in envelope.content else "250 queued"

    handle_RCPT = take_recipient  # noqa: N815
    handle_DATA = take_content  # noqa: N815


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, str]:
    path, pem = self_signed(tmp_path_factory.mktemp("tls"), "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context, pem


def login(server: Any, session: Any, envelope: Any, mechanism: str, given: Any) -> AuthResult:
    good = isinstance(given, LoginPassword) and given == LoginPassword(b"ada", b"secret-word")
    return AuthResult(success=good, handled=False)


@pytest.fixture
async def running() -> AsyncIterator[Any]:
    """Starts mail servers on free ports; answers the inbox and the credentials of each."""
    loop = asyncio.get_running_loop()
    started: list[asyncio.Server] = []

    async def start(
        throughout: ssl.SSLContext | None = None, **options: Any
    ) -> tuple[Inbox, dict[str, Any]]:
        inbox = Inbox()
        server = await loop.create_server(
            lambda: server_side.SMTP(inbox, hostname="localhost", loop=loop, **options),
            "127.0.0.1",
            0,
            ssl=throughout,
        )
        started.append(server)
        port = server.sockets[0].getsockname()[1]
        return inbox, {"host": "localhost", "port": str(port), "from": "news@example.com"}

    yield start
    for server in started:
        server.close()


async def deliver(
    credentials: dict[str, Any], *messages: EmailMessage, guard: Guard | None = None
) -> list[Result]:
    network = Network(FakeHttp(), SmtpTransport(guard or Guard(loopback=True), timeout=5))
    try:
        return [await send(SMTP, credentials, one, network, NOW) for one in messages]
    finally:
        await network.close()


def mail(**fields: Any) -> EmailMessage:
    base = {"id": "m1", "to": ("ada@example.com",), "subject": "Grüße", "text": "Hello"}
    return EmailMessage(**{**base, **fields})


async def test_delivers_the_whole_message(running: Any) -> None:
    inbox, credentials = await running()
    message = mail(
        html='<p>Hello <img src="cid:logo"></p>',
        cc=("cc@example.com",),
        bcc=("bcc@example.com",),
        reply_to="reply@example.com",
        sender_name="Ada & Söhne",
        headers={"X-Campaign": "spring\r\nBcc: evil@example.com", "From": "evil@example.com"},
        attachments=(
            Attachment(name="a.txt", mime="text/plain", content=b"file"),
            Attachment(name="logo.png", mime="image/png", content=b"png", cid="logo"),
        ),
    )
    [result] = await deliver(credentials, message)
    assert (result.outcome, result.id) == ("sent", "m1@example.com")
    [envelope] = inbox.received
    assert envelope.mail_from == "news@example.com"
    assert set(envelope.rcpt_tos) == {"ada@example.com", "cc@example.com", "bcc@example.com"}
    seen = message_from_bytes(envelope.content, policy=default)
    assert seen["Subject"] == "Grüße"
    assert seen["From"] == "Ada & Söhne <news@example.com>"
    assert seen["Reply-To"] == "reply@example.com"
    assert seen["Message-ID"] == "<m1@example.com>"
    assert seen["Bcc"] is None
    assert "spring" in seen["X-Campaign"]
    assert seen.get_body(("plain",)).get_content().strip() == "Hello"  # type: ignore[union-attr]
    assert "cid:logo" in seen.get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert [part.get_filename() for part in seen.iter_attachments()] == ["a.txt"]


async def test_one_connection_serves_several_messages(running: Any) -> None:
    inbox, credentials = await running()
    results = await deliver(credentials, mail(), mail(id="m2"), mail(id="m3"))
    assert [one.outcome for one in results] == ["sent"] * 3
    assert len(inbox.sessions) == 1


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        (mail(to=("x@refused.example",)), "bad_recipient"),
        (mail(to=("x@busy.example",)), "retryable"),
        (mail(text="forbidden"), "bad_request"),
    ],
)
async def test_refusals(running: Any, message: EmailMessage, outcome: str) -> None:
    _, credentials = await running()
    refused, after = await deliver(credentials, message, mail())
    assert refused.outcome == outcome
    assert after.outcome == "sent"


async def test_some_recipients_refused_is_sent_with_a_verdict_on_each(running: Any) -> None:
    _, credentials = await running()
    [result] = await deliver(credentials, mail(to=("a@example.com", "x@refused.example")))
    assert result.outcome == "sent"
    assert {v.target: v.outcome for v in result.verdicts} == {
        "a@example.com": "sent",
        "x@refused.example": "bad_recipient",
    }


async def test_starttls_and_login(running: Any, certificate: tuple[ssl.SSLContext, str]) -> None:
    context, authority = certificate
    _, credentials = await running(
        tls_context=context, require_starttls=True, authenticator=login, auth_required=True
    )
    good = {
        **credentials,
        "user": "ada",
        "password": "secret-word",
        "tlsOptions": {"ca": authority},
        "requireTls": True,
    }
    [sent] = await deliver(good, mail())
    assert sent.outcome == "sent"
    [wrong] = await deliver({**good, "password": "wrong-word"}, mail())
    assert wrong.outcome == "bad_credentials"
    [untrusted] = await deliver({**good, "tlsOptions": {}}, mail())
    assert untrusted.outcome == "retryable"
    [unchecked] = await deliver({**good, "tlsOptions": {"rejectUnauthorized": False}}, mail())
    assert unchecked.outcome == "sent"
    [renamed] = await deliver(
        {**good, "host": "127.0.0.1", "tlsOptions": {"ca": authority, "servername": "localhost"}},
        mail(),
    )
    assert renamed.outcome == "sent"


async def test_tls_throughout(running: Any, certificate: tuple[ssl.SSLContext, str]) -> None:
    context, authority = certificate
    _, credentials = await running(throughout=context)
    [result] = await deliver(
        {**credentials, "secure": True, "tlsOptions": {"ca": authority}}, mail()
    )
    assert result.outcome == "sent"


async def test_required_tls_that_is_not_offered(running: Any) -> None:
    inbox, credentials = await running()
    [result] = await deliver({**credentials, "requireTls": True}, mail())
    assert result.outcome == "bad_credentials"
    assert inbox.received == []


async def test_nobody_listens() -> None:
    credentials = {"host": "localhost", "port": "1", "from": "news@example.com"}
    [result] = await deliver(credentials, mail())
    assert result.outcome == "retryable"


async def test_the_guard_holds_for_mail_servers() -> None:
    credentials = {"host": "169.254.169.254", "port": "25", "from": "news@example.com"}
    [result] = await deliver(credentials, mail(), guard=Guard())
    assert (result.outcome, result.final) == ("bad_request", True)
