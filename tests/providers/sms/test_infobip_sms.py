"""Infobip: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "baseUrl": "x1.api.infobip.example", "from": "Tidings"}


def answered(group: str, name: str) -> Response:
    status = {"groupName": group, "name": name, "description": "So it is"}
    message = {"messageId": "ib1", "destination": "15005550006", "status": status}
    return Response(status=200, body=msgspec.json.encode({"messages": [message]}))


SENT = answered("PENDING", "PENDING_ACCEPTED")
SENT_ID = "ib1"
CALLS = [
    Call(
        url="https://x1.api.infobip.example/sms/3/messages",
        auth={"authorization": "App key-000001"},
        body={
            "messages!": [
                {
                    "sender!": "Tidings",
                    "destinations!": [{"to!": "15005550006", "messageId": str}],
                    "content!": {"text!": str},
                }
            ]
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"requestError":{"serviceException":{"messageId":"UNAUTHORIZED",'
            b'"text":"Invalid login details"}}}',
        ),
    )
]
REFUSALS = [
    (answered("REJECTED", "REJECTED_DESTINATION"), "bad_recipient"),
    (answered("REJECTED", "REJECTED_PREFIX_MISSING"), "bad_recipient"),
    (answered("REJECTED", "REJECTED_NOT_ENOUGH_CREDITS"), "bad_credentials"),
    (answered("REJECTED", "REJECTED_SENDER"), "bad_credentials"),
    (answered("REJECTED", "REJECTED_FLOODING_FILTER"), "bad_request"),
    (
        Response(
            status=400,
            body=b'{"requestError":{"serviceException":{"messageId":"BAD_REQUEST","text":"no"}}}',
        ),
        "bad_request",
    ),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


_REPORT = (
    b'{"results":[{"messageId":"ib1","to":"15005550006","doneAt":"2026-01-01T00:00:00.000+0000",'
    b'"status":{"groupName":"DELIVERED","description":"Message delivered to handset"},'
    b'"error":{"id":0,"description":"No Error","permanent":false}},'
    b'{"messageId":"ib2","status":{"groupName":"REJECTED"}}]}'
)
_EVENTS = [
    Event(
        message_id="ib1",
        happened="delivered",
        at=NOW,
        target="15005550006",
        reason="Message delivered to handset",
    ),
    Event(message_id="ib2", happened="rejected"),
]
_BASIC = {"authorization": "Basic " + b64encode(f"any:{KEY}".encode()).decode()}
WEBHOOKS = [
    (called(_REPORT), KEY, _EVENTS),
    (
        Webhook(url="https://tidings.example/in", headers=_BASIC, body=_REPORT, at=NOW),
        KEY,
        _EVENTS,
    ),
]
