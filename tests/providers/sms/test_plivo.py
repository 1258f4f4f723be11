"""Plivo: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event
from tidings.providers.sms.plivo import Plivo

CREDENTIALS = {"accountSid": "MA0001", "token": "auth-token-0000001", "from": "15005550001"}
SENT = Response(
    status=202, body=b'{"message":"message(s) queued","message_uuid":["u1"],"api_id":"a1"}'
)
SENT_ID = "u1"
CALLS = [
    Call(
        url="https://api.plivo.com/v1/Account/MA0001/Message/",
        auth={"authorization": "Basic " + b64encode(b"MA0001:auth-token-0000001").decode()},
        body={"src!": "15005550001", "dst!": "15005550006", "text!": str},
        answer=SENT,
    )
]
REFUSALS = [
    (
        Response(status=400, body=b'{"api_id":"a","error":"dst parameter is not valid"}'),
        "bad_recipient",
    ),
    (Response(status=400, body=b'{"error":"src parameter is not valid"}'), "bad_credentials"),
    (Response(status=400, body=b'{"api_id":"a","error":"text is missing"}'), "bad_request"),
    (Response(status=401, body=b"Could not verify your access level"), "bad_credentials"),
    (Response(status=402, body=b'{"error":"insufficient credit"}'), "bad_credentials"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_BODY = b"MessageUUID=u1&Status=delivered&To=15005550006&From=15005550001"


def signed(url: str, signature: str, body: bytes, method: str = "POST", **query: str) -> Webhook:
    """The signatures were made by the vendor's library, plivo 4.63."""
    headers = {
        "x-plivo-signature-v3": f"another,{signature}",
        "x-plivo-signature-v3-nonce": "nonce-1",
    }
    return Webhook(method=method, url=url, query=query, headers=headers, body=body, at=NOW)


_DELIVERED = Event(message_id="u1", happened="delivered", target="15005550006")
WEBHOOKS = [
    (
        signed(
            "https://tidings.example/in?b=2&a=1",
            "y5WD9fmd/MUK4Nqg4a5x354HGU++ahZdyQYCN/TL534=",
            _BODY,
        ),
        "auth-token-0000001",
        [_DELIVERED],
    ),
    (
        signed("https://tidings.example/in", "LJLWJ1NJfR3HzScyfws50HeI3crY9qKr+NucBuw6l+I=", _BODY),
        "auth-token-0000001",
        [_DELIVERED],
    ),
    (
        signed(
            "https://tidings.example/in?Status=sent&MessageUUID=u1",
            "bS5lOxcsFEjoXKWbYhAQsiJRRpqPcMUYfpuv35BBKtw=",
            b"",
            "GET",
            Status="sent",
            MessageUUID="u1",
        ),
        "auth-token-0000001",
        [Event(message_id="u1", happened="sent")],
    ),
]


def test_another_body_is_not_what_was_signed() -> None:
    webhook, key, _ = WEBHOOKS[0]
    changed = msgspec.structs.replace(webhook, body=_BODY.replace(b"delivered", b"failed"))
    assert not Plivo().verify_webhook(changed, key)
