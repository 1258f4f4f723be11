"""Mandrill."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import urlencode

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "md-key-000001", "from": "news@example.com", "senderName": "News"}
SENT = Response(
    status=200,
    body=b'[{"email":"ada@example.com","status":"sent","_id":"abc","reject_reason":null}]',
)
SENT_ID = "abc"
_DENIED = Response(
    status=500,
    body=b'{"status":"error","code":-1,"name":"Invalid_Key","message":"Invalid API key"}',
)
_FILE = {"type!": str, "name!": str, "content!": str}
CALLS = [
    Call(
        url="https://mandrillapp.com/api/1.0/messages/send.json",
        body={
            "key!": str,
            "message!": {
                "from_email!": str,
                "from_name": str,
                "subject": str,
                "text": str,
                "html": str,
                "to!": [{"email!": str, "name": str, "type": ("to", "cc", "bcc")}],
                "headers": {"*": str},
                "attachments": [_FILE],
                "images": [_FILE],
                "metadata": {"*": str},
                "tags": [str],
                "preserve_recipients": bool,
            },
            "async": bool,
            "ip_pool": str,
        },
        known=lambda request: content_of(request)["key"] == "md-key-000001",
        answer=SENT,
        denied=_DENIED,
    )
]


def _error(name: str) -> Response:
    return Response(
        status=500, body=f'{{"status":"error","code":-1,"name":"{name}","message":"m"}}'.encode()
    )


def _told(status: str, reason: str) -> Response:
    body = f'[{{"email":"a@example.com","status":"{status}","reject_reason":"{reason}","_id":"x"}}]'
    return Response(status=200, body=body.encode())


REFUSALS = [
    (_told("rejected", "hard-bounce"), "bad_recipient"),
    (_told("invalid", ""), "bad_recipient"),
    (_told("rejected", "unsigned"), "bad_credentials"),
    (_told("rejected", "rule"), "bad_request"),
    (_error("Invalid_Key"), "bad_credentials"),
    (_error("PaymentRequired"), "bad_credentials"),
    (_error("ValidationError"), "bad_request"),
    (_error("GeneralError"), "retryable"),
    (Response(status=200, body=b'{"odd":1}'), "bad_request"),
]


_KEY = "webhook-key"
_URL = "https://tidings.example/in/mandrill?x=1"
_EVENTS = (
    '[{"event":"hard_bounce","_id":"abc","ts":1767225600,"msg":{"_id":"abc",'
    '"email":"ada@example.com","diag":"smtp;550"}},{"event":"sync","_id":"x"}]'
)


def _signed() -> Webhook:
    signed = _URL + "mandrill_events" + _EVENTS
    digest = hmac.new(_KEY.encode(), signed.encode(), hashlib.sha1).digest()
    return Webhook(
        url=_URL,
        headers={"x-mandrill-signature": base64.b64encode(digest).decode()},
        body=urlencode({"mandrill_events": _EVENTS}).encode(),
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


WEBHOOKS = [
    (
        _signed(),
        _KEY,
        [
            Event(
                message_id="abc",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                target="ada@example.com",
                reason="smtp;550",
            )
        ],
    )
]
