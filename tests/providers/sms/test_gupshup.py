"""Gupshup: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.gupshup import Gupshup

CREDENTIALS = {"user": "2000000001", "password": "password-0001", "from": "TIDING"}
SENT = Response(status=200, body=b"success | 15005550006 | 3562707498794989059-328736121")
SENT_ID = "3562707498794989059-328736121"


def refused(code: int) -> Response:
    return Response(status=200, body=f"error | {code} | Because it is so".encode())


CALLS = [
    Call(
        url="https://enterprise.smsgupshup.com/GatewayAPI/rest",
        known=lambda request: content_of(request)["password"] == "password-0001",
        mime="application/x-www-form-urlencoded",
        body={
            "method!": "sendMessage",
            "send_to!": "15005550006",
            "msg!": str,
            "msg_type!": ("text", "Unicode_text"),
            "userid!": "2000000001",
            "auth_scheme!": "plain",
            "password!": str,
            "v!": "1.1",
            "format!": "text",
            "mask": "TIDING",
            "principalEntityId": str,
            "dltTemplateId": str,
        },
        answer=SENT,
        denied=refused(102),
    )
]
REFUSALS = [
    (refused(105), "bad_recipient"),
    *((refused(code), "bad_credentials") for code in (102, 103, 104, 108)),
    *((refused(code), "bad_request") for code in (101, 106, 107, 109)),
    (refused(100), "retryable"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(externalId="35-32", status="DELIVERED", deliveredTS="1767225600000"),
        KEY,
        [Event(message_id="35-32", happened="delivered", at=NOW)],
    ),
    (
        called(
            b'[{"externalId":"35-32","eventType":"FAILED","eventTs":1767225600000,'
            b'"destAddr":15005550006,"cause":"ABSENT_SUBSCRIBER"}]'
        ),
        KEY,
        [
            Event(
                message_id="35-32",
                happened="failed",
                at=NOW,
                target="15005550006",
                reason="ABSENT_SUBSCRIBER",
            )
        ],
    ),
]


def test_the_ids_that_indian_law_asks_for() -> None:
    message = SmsMessage(
        id="m1",
        to="+15005550006",
        content="नमस्ते",
        custom_data={"principalEntityId": "p1", "dltTemplateId": "t1"},
    )
    body = Gupshup().build_request(message, Credentials(user="u", password="p")).body
    assert body is not None
    fields = body.fields  # type: ignore[union-attr]
    assert (fields["principalEntityId"], fields["dltTemplateId"]) == ("p1", "t1")
    assert fields["msg_type"] == "Unicode_text"
