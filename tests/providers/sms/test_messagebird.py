"""MessageBird: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event
from tidings.providers.sms.messagebird import MessageBird

CREDENTIALS = {"accessKey": "access-key-000001", "from": "Tidings"}
SENT = Response(status=201, body=b'{"id":"mb1","createdDatetime":"2026-01-01T00:00:00+00:00"}')
SENT_ID = "mb1"
CALLS = [
    Call(
        url="https://rest.messagebird.com/messages",
        auth={"authorization": "AccessKey access-key-000001"},
        body={
            "originator!": "Tidings",
            "recipients!": ["15005550006"],
            "body!": str,
            "reference": str,
            "datacoding": "auto",
        },
        answer=SENT,
    )
]


def refused(code: int, parameter: str | None = None, status: int = 422) -> Response:
    errors = [{"code": code, "description": "no", "parameter": parameter}]
    return Response(status=status, body=msgspec.json.encode({"errors": errors}))


REFUSALS = [
    (refused(9, "recipients"), "bad_recipient"),
    (refused(2, "access_key", 401), "bad_credentials"),
    (refused(25), "bad_credentials"),
    (refused(98), "retryable"),
    (refused(9, "body"), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_KEY = "mb-signing-key-0001-of-thirty-two-bytes"
# The tokens were made by PyJWT with the claims that the vendor's library, messagebird 2.2, checks.
_GET = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTU5OSwiZ"
    "XhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqMSIsInVybF9oYXNoIjoiNWVkNzVjNjdlOWI2MmM5YTM3NTA0ZDQwZmQxY2Y"
    "1MzJiOTFmNThiZTY1NzYwOWQ1NTdlZTIzOTQ2NGZiOTIzNiJ9.R77TOo264mmok3bDgoPzbZmtF9BU5cKaQ1oUgdn0"
    "YMg"
)
_POST = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTU5OSwiZ"
    "XhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqMSIsInVybF9oYXNoIjoiYzQ4NjJkNmE2Y2Q0ZWFkNjg3NzNiOWI4M2VkNGQ"
    "0YzE5YzMwNTY3YmZhZDA1NjBhYTZkNzE1ODBlZjhjOGYzMSIsInBheWxvYWRfaGFzaCI6ImM5ZDBiZGE2ZTNiZTc0O"
    "DRhOGIwYWU1YzA2ZWVlNjQwMmUzNjUxZjYyNGZmZmVmYmJkOGQ4YTU4NzA2NGRhMzMifQ.Kql3-KHXPSKzaJ47r6ed"
    "bl0TDz9lXoTAHiVqLdXPHFU"
)
_QUERY = {
    "id": "mb1",
    "reference": "m1",
    "status": "delivered",
    "recipient": "15005550006",
    "statusDatetime": "2026-01-01T00:00:00+00:00",
}
_BY_GET = Webhook(
    method="GET",
    url="https://tidings.example/in?id=mb1&reference=m1&status=delivered&recipient=15005550006"
    "&statusDatetime=2026-01-01T00%3A00%3A00%2B00%3A00",
    query=_QUERY,
    headers={"messagebird-signature-jwt": _GET},
    at=NOW,
)
_BY_POST = Webhook(
    url="https://tidings.example/in",
    headers={"messagebird-signature-jwt": _POST},
    body=b'{"id":"mb1","status":"sent"}',
    at=NOW,
)
WEBHOOKS = [
    (
        _BY_GET,
        _KEY,
        [Event(message_id="mb1", happened="delivered", at=NOW, target="15005550006")],
    ),
    (_BY_POST, _KEY, [Event(message_id="mb1", happened="sent")]),
]


def test_another_address_body_or_time_is_not_what_was_signed() -> None:
    replace = msgspec.structs.replace
    for changed in (
        replace(_BY_GET, url=_BY_GET.url.replace("delivered", "sent")),
        replace(_BY_GET, body=b"{}"),
        replace(_BY_POST, body=b'{"id":"mb1","status":"delivered"}'),
        replace(_BY_GET, at=datetime(2026, 1, 1, 0, 2, tzinfo=UTC)),
        replace(_BY_GET, at=datetime(2025, 12, 31, tzinfo=UTC)),
    ):
        assert not MessageBird().verify_webhook(changed, _KEY)


def test_a_token_without_signature_is_refused() -> None:
    unsigned = b64encode(b'{"alg":"none"}').decode().rstrip("=") + "." + _GET.split(".")[1] + "."
    webhook = msgspec.structs.replace(_BY_GET, headers={"messagebird-signature-jwt": unsigned})
    assert not MessageBird().verify_webhook(webhook, _KEY)
