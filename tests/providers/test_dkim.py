"""Signatures that another implementation accepts, and that any change spoils."""

import base64
from datetime import UTC, datetime
from functools import cache
from typing import Any

import dkim as reference  # type: ignore[import-untyped]
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st

from tests.providers.test_smtp import deliver, mail, running
from tidings.domain.errors import InvalidError
from tidings.providers.credentials import check
from tidings.providers.delivery import send
from tidings.providers.dkim import Dkim, signed
from tidings.providers.email.nodemailer import Nodemailer
from tidings.providers.fake import fake_network
from tidings.providers.messages import Attachment

__all__ = ["running"]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
BASE = {"host": "smtp.example.com", "port": "587", "from": "news@example.com"}


def _pem(key: Any) -> str:
    encoded: bytes = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return encoded.decode()


@cache
def _key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def _record(name: bytes, timeout: int = 5) -> bytes:
    assert name == b"mail._domainkey.example.com."
    public = _key().public_key()
    der = public.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return b"v=DKIM1; k=rsa; p=" + base64.b64encode(der)


def _credentials(**changes: str) -> dict[str, str]:
    ours = {"domain": "example.com", "accountSid": "mail", "secretKey": _pem(_key())}
    return {**BASE, **ours, **changes}


def _is_valid(content: bytes) -> bool:
    return bool(reference.verify(content, dnsfunc=_record))


async def test_what_a_mail_server_receives_is_signed(running: Any) -> None:
    inbox, server = await running()
    message = mail(
        text="Grüße  aus\tBerlin \n\n.\n" + "x" * 300 + "\n\n\n",
        html="<p>ü</p>",
        cc=("Zoë <cc@example.com>",),
        reply_to="reply@example.com",
        sender_name="Die Nachrichten für alle, mit einem langen Namen, der umbrochen wird",
        subject="Ein langer Betreff, der umbrochen werden muß: " + "wörter " * 20,
        headers={"List-Unsubscribe": "<https://example.com/u>", "X-Other": "1"},
        attachments=(Attachment(name="a.bin", content=bytes(range(256))),),
    )
    (result,) = await deliver({**_credentials(), **server}, message)
    assert result.outcome == "sent"
    (envelope,) = inbox.received
    assert _is_valid(envelope.content)
    assert envelope.content.isascii()
    assert not _is_valid(
        envelope.content.replace(b"https://example.com/u", b"https://evil.example")
    )
    assert not _is_valid(b"From: evil@example.com\r\n" + envelope.content)


LINES = st.lists(st.text(" \tab.:;=ü", max_size=12), max_size=6)


@given(LINES, st.text(" \tabü", max_size=30))
def test_another_implementation_reads_spaces_and_empty_lines_alike(
    lines: list[str], subject: str
) -> None:
    body = "".join(line + "\r\n" for line in lines).encode()
    content = f"From: a@example.com\r\nSubject: {subject}\r\n b\r\n\r\n".encode() + body
    key = Dkim(domain="example.com", selector="mail", key=_pem(_key()))
    assert _is_valid(signed(content, key, NOW))


async def test_without_dkim_nothing_is_signed() -> None:
    network, _, post = fake_network()
    await send(Nodemailer(), BASE, mail(), network, NOW)
    assert b"DKIM-Signature" not in post.requests[0].content


@pytest.mark.parametrize("left_out", ["domain", "accountSid", "secretKey"])
async def test_a_part_of_it_is_refused(left_out: str) -> None:
    credentials = {n: value for n, value in _credentials().items() if n != left_out}
    with pytest.raises(InvalidError) as caught:
        check(Nodemailer.credentials, credentials, True, ())
    assert list(caught.value.problems) == [f"credentials.{left_out}"]
    network, _, post = fake_network()
    result = await send(Nodemailer(), credentials, mail(), network, NOW)
    assert result.outcome == "bad_credentials"
    assert not post.requests


@pytest.mark.parametrize(
    "key", ["-----BEGIN nothing", _pem(ec.generate_private_key(ec.SECP256R1()))]
)
async def test_a_key_that_cannot_sign_is_a_matter_of_credentials(key: str) -> None:
    network, _, post = fake_network()
    result = await send(Nodemailer(), _credentials(secretKey=key), mail(), network, NOW)
    assert result.outcome == "bad_credentials"
    assert "DKIM" in result.reason
    assert not post.requests
