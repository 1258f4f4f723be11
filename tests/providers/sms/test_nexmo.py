"""Vonage: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Encoded, Response, Webhook
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.nexmo import Nexmo

CREDENTIALS = {"apiKey": "key-000001", "secretKey": "secret-000001", "from": "Tidings"}
SENT = Response(
    status=200, body=b'{"message-count":"1","messages":[{"status":"0","message-id":"0A1"}]}'
)
SENT_ID = "0A1"


def refused(status: str, text: str = "no") -> Response:
    parts = [{"to": "15005550006", "status": status, "error-text": text}]
    return Response(status=200, body=msgspec.json.encode({"messages": parts}))


def known(request: Encoded) -> bool:
    given = content_of(request)
    return (given["api_key"], given["api_secret"]) == ("key-000001", "secret-000001")


CALLS = [
    Call(
        url="https://rest.nexmo.com/sms/json",
        known=known,
        mime="application/x-www-form-urlencoded",
        body={
            "api_key!": str,
            "api_secret!": str,
            "from!": "Tidings",
            "to!": "15005550006",
            "text!": str,
            "type": "unicode",
            "client-ref": str,
        },
        answer=SENT,
        denied=refused("4", "Bad Credentials"),
    )
]
REFUSALS = [
    (refused("1"), "throttled"),
    (refused("10"), "throttled"),
    (refused("5"), "retryable"),
    *((refused(status), "bad_recipient") for status in ("6", "7", "29")),
    (refused("3", "Invalid value for param: to"), "bad_recipient"),
    (refused("3", "Invalid value for param: text"), "bad_request"),
    *((refused(status), "bad_credentials") for status in ("4", "8", "9", "15")),
    (refused("22"), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


_DELIVERED = Event(message_id="0A1", happened="delivered", at=NOW, target="15005550006", reason="0")
_FIELDS = {
    "messageId": "0A1",
    "msisdn": "15005550006",
    "status": "delivered",
    "err-code": "0",
    "message-timestamp": "2026-01-01 00:00:00",
    "text": "a&b=c",
    "timestamp": "1767225600",
}


def signed(sig: str) -> Webhook:
    """The signatures were made by the vendor's library, vonage-http-client 1.5."""
    body = msgspec.json.encode({**_FIELDS, "sig": sig})
    return Webhook(url="https://tidings.example/in", body=body, at=NOW)


_SECRET = "signature-secret-1"
_SHA256 = "47ac986a0693e48fddfec2448e00f36d6ee06dfe369f38fa904c0c652f02ae39"
WEBHOOKS = [
    (signed(_SHA256), _SECRET, [_DELIVERED]),
    (signed("d187091518581afe48a571f6cbf384d9175abdb3"), _SECRET, [_DELIVERED]),
    (
        signed(
            "50ba935dc7c73dde72b5613ddccca8d48a4966d802d2bae75e11551733a7b99f"
            "32238103595fbef7affcf3f8ee34173eaa613f6725bc7c0139e1ed9aef9063f9"
        ),
        _SECRET,
        [_DELIVERED],
    ),
    (called(b"", **_FIELDS), KEY, [_DELIVERED]),
]


def test_an_old_report_is_refused() -> None:
    late = msgspec.structs.replace(signed(_SHA256), at=datetime(2026, 1, 1, 1, tzinfo=UTC))
    assert not Nexmo().verify_webhook(late, _SECRET)


def test_the_text_decides_the_alphabet_and_each_part_counts() -> None:
    message = SmsMessage(id="m1", to="+15005550006", content="Привет")
    body = Nexmo().build_request(message, Credentials(api_key="k")).body
    assert body is not None
    assert body.fields["type"] == "unicode"  # type: ignore[union-attr]
    parts = b'{"messages":[{"status":"0","message-id":"0A1"},{"status":"1"}]}'
    assert Nexmo().parse_response(Response(status=200, body=parts)).outcome == "throttled"
