"""Sendchamp: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call
from tidings.providers.sms.sendchamp import Sendchamp

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}
SENT = Response(
    status=200,
    body=b'{"code":200,"status":"success","data":{"id":"sc1","business_id":"account",'
    b'"created_at":"2026-01-01T00:00:00Z"}}',
)
SENT_ID = "sc1"


def refused(text: str, status: int = 400) -> Response:
    body = {"code": status, "status": "error", "message": text}
    return Response(status=status, body=msgspec.json.encode(body))


CALLS = [
    Call(
        url="https://api.sendchamp.com/api/v1/sms/send",
        auth={"authorization": "Bearer key-000001"},
        body={
            "to!": ["15005550006"],
            "message!": str,
            "sender_name!": "Tidings",
            "route!": ("dnd", "non_dnd", "international"),
        },
        answer=SENT,
        denied=refused("Unauthorized", 401),
    )
]
REFUSALS = [
    (refused("Invalid phone number"), "bad_recipient"),
    (refused("Sender name is not approved"), "bad_credentials"),
    (refused("Insufficient balance", 200), "bad_credentials"),
    (refused("message is required", 422), "bad_request"),
]


def test_the_accounts_id_is_not_the_messages() -> None:
    body = b'{"status":"success","data":{"business_id":"account"}}'
    assert Sendchamp().parse_response(Response(status=200, body=body)).id is None
