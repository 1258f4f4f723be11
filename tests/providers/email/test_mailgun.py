"""Mailgun."""

import hashlib
import hmac
from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.email.mailgun import Mailgun
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {
    "apiKey": "key-0123456789",
    "domain": "mg.example.com",
    "from": "news@example.com",
    "senderName": "News",
}
SENT = Response(status=200, body=b'{"id":"<2026.1@mg.example.com>","message":"Queued. Thank you."}')
SENT_ID = "2026.1@mg.example.com"
_MANY = (str, [str])
CALLS = [
    Call(
        url="https://api.mailgun.net/v3/mg.example.com/messages",
        auth={"authorization": "Basic YXBpOmtleS0wMTIzNDU2Nzg5"},
        mime="multipart/form-data",
        body={
            "from!": str,
            "to!": _MANY,
            "cc": _MANY,
            "bcc": _MANY,
            "subject!": str,
            "text": str,
            "html": str,
            "attachment": bytes,
            "inline": bytes,
            "h:Reply-To": str,
            "h:X-Custom": str,
            "v:order": str,
            "v:tags": str,
        },
        answer=SENT,
        denied=Response(status=401, body=b"Forbidden"),
    )
]
REFUSALS = [
    (
        Response(
            status=400,
            body=b'{"message":"\'to\' parameter is not a valid address."}',
        ),
        "bad_recipient",
    ),
    (
        Response(status=404, body=b'{"message":"Domain not found: mg.example.com"}'),
        "bad_credentials",
    ),
    (Response(status=401, body=b"Forbidden"), "bad_credentials"),
    (
        Response(status=400, body=b'{"message":"\'from\' parameter is not a valid address."}'),
        "bad_credentials",
    ),
    (Response(status=400, body=b'{"message":"Need at least one of text or html"}'), "bad_request"),
]

_KEY = "webhook-signing-key"
_AT = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def _webhook(event: bytes, stamp: str = "1767225600") -> Webhook:
    signature = hmac.new(_KEY.encode(), f"{stamp}token".encode(), hashlib.sha256).hexdigest()
    body = (
        f'{{"signature":{{"timestamp":"{stamp}","token":"token","signature":"{signature}"}},'
        f'"event-data":'
    ).encode() + event
    return Webhook(url="https://tidings.example/in", body=body + b"}", at=_AT)


WEBHOOKS = [
    (
        _webhook(
            b'{"event":"failed","severity":"permanent","id":"e1","timestamp":1767225600.5,'
            b'"recipient":"ada@example.com","delivery-status":{"message":"550 no such user"},'
            b'"message":{"headers":{"message-id":"2026.1@mg.example.com"}}}'
        ),
        _KEY,
        [
            Event(
                message_id="2026.1@mg.example.com",
                happened="bounced",
                at=datetime(2026, 1, 1, 0, 0, 0, 500000, tzinfo=UTC),
                id="e1",
                target="ada@example.com",
                reason="550 no such user",
            )
        ],
    ),
    (
        _webhook(
            b'{"event":"failed","severity":"temporary","id":"e2","timestamp":1767225600,'
            b'"message":{"headers":{"message-id":"x"}}}'
        ),
        _KEY,
        [
            Event(
                message_id="x",
                happened="deferred",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="e2",
            )
        ],
    ),
]


def test_an_old_webhook_is_not_believed() -> None:
    assert not Mailgun().verify_webhook(_webhook(b"{}", "1700000000"), _KEY)


def test_the_region_is_in_the_base_url() -> None:
    message = EmailMessage(id="m", to=("a@example.com",), subject="s", text="t")
    credentials = Credentials(base_url="https://api.eu.mailgun.net/", domain="d.example")
    request = Mailgun().build_request(message, credentials)
    assert request.url == "https://api.eu.mailgun.net/v3/d.example/messages"
