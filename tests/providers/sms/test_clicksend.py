"""ClickSend: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"user": "ada", "apiKey": "key-000001", "from": "Tidings"}


def answered(status: str) -> Response:
    message = {"status": status, "message_id": "cs1", "date": 1767225600}
    body = {"http_code": 200, "response_code": "SUCCESS", "data": {"messages": [message]}}
    return Response(status=200, body=msgspec.json.encode(body))


SENT = answered("SUCCESS")
SENT_ID = "cs1"
CALLS = [
    Call(
        url="https://rest.clicksend.com/v3/sms/send",
        auth={"authorization": "Basic " + b64encode(b"ada:key-000001").decode()},
        body={
            "messages!": [
                {"to!": "+15005550006", "body!": str, "from": "Tidings", "custom_string": str}
            ]
        },
        answer=SENT,
    )
]
REFUSALS = [
    (answered("INVALID_RECIPIENT"), "bad_recipient"),
    (answered("COUNTRY_NOT_ENABLED"), "bad_recipient"),
    (answered("INSUFFICIENT_CREDIT"), "bad_credentials"),
    (answered("INVALID_SENDER_ID"), "bad_credentials"),
    (answered("THROTTLED"), "throttled"),
    (answered("EMPTY_BODY"), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(b"message_id=cs1&status_code=201&timestamp_send=1767225600"),
        KEY,
        [Event(message_id="cs1", happened="delivered", at=NOW)],
    ),
    (
        called(b"message_id=cs1&status_code=301&error_text=No+route"),
        KEY,
        [Event(message_id="cs1", happened="failed", reason="No route")],
    ),
]
