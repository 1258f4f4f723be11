"""Pusher Beams."""

import hashlib
import hmac
from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"instanceId": "inst-1", "secretKey": "beams-secret-1"}
SENT = Response(status=200, body=b'{"publishId":"pubid-1"}')
SENT_ID = "pubid-1"
CALLS = [
    Call(
        url="https://inst-1.pushnotifications.pusher.com"
        "/publish_api/v1/instances/inst-1/publishes/users",
        auth={"authorization": "Bearer beams-secret-1"},
        body={
            "users!": [str],
            "apns": {"aps!": {"alert!": {"title": str, "body": str}}, "data": dict},
            "fcm": {"notification": {"title": str, "body": str}, "data": {"*": str}},
            "web": {"notification": {"title": str, "body": str}, "data": dict},
        },
        answer=SENT,
        denied=Response(
            status=401, body=b'{"error":"Unauthorized","description":"Incorrect API Key"}'
        ),
    )
]
REFUSALS = [
    (
        Response(status=404, body=b'{"error":"Not found","description":"No instance"}'),
        "bad_credentials",
    ),
    (
        Response(status=401, body=b'{"error":"Unauthorized","description":"Bad key"}'),
        "bad_credentials",
    ),
    (Response(status=422, body=b'{"error":"Invalid","description":"too large"}'), "bad_request"),
]
_KEY = "beams-webhook-secret"
_METADATA = (
    b'"metadata":{"created_at":"2026-01-01T00:00:00+0000","event_id":"e1","product":"beams",'
)


def _signed(body: bytes) -> Webhook:
    signature = hmac.new(_KEY.encode(), body, hashlib.sha1).hexdigest()
    return Webhook(
        url="https://t.example",
        headers={"webhook-signature": signature},
        body=body,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


_AT = datetime(2026, 1, 1, tzinfo=UTC)
WEBHOOKS = [
    (
        _signed(
            b"{"
            + _METADATA
            + b'"event_type":"v1.PublishToUsersAttempt"},"payload":{"publish_id":"pubid-1",'
            b'"users_delivered_to_gateway":["a"],"users_no_devices":["b"],'
            b'"users_gateway_failed":["c"]},"custom_data":{}}'
        ),
        _KEY,
        [
            Event(message_id="pubid-1", happened="sent", at=_AT, id="e1/a", target="a"),
            Event(
                message_id="pubid-1",
                happened="failed",
                at=_AT,
                id="e1/b",
                target="b",
                reason="no devices",
            ),
            Event(
                message_id="pubid-1",
                happened="deferred",
                at=_AT,
                id="e1/c",
                target="c",
                reason="gateway failed",
            ),
        ],
    ),
    (
        _signed(
            b"{" + _METADATA + b'"event_type":"v1.UserNotificationOpen"},'
            b'"payload":{"publish_id":"pubid-1","user_id":"a"}}'
        ),
        _KEY,
        [Event(message_id="pubid-1", happened="opened", at=_AT, id="e1", target="a")],
    ),
]
