"""Termii: a fake written from its page, and what it reports."""

import hashlib
import hmac
from datetime import UTC, datetime

import msgspec

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "key-000001", "from": "Tidings"}
SENT = Response(status=200, body=b'{"code":"ok","message_id":"301","message":"Successfully Sent"}')
SENT_ID = "301"


def refused(text: str, status: int = 400) -> Response:
    return Response(status=status, body=msgspec.json.encode({"code": status, "message": text}))


CALLS = [
    Call(
        url="https://api.ng.termii.com/api/sms/send",
        known=lambda request: content_of(request)["api_key"] == "key-000001",
        body={
            "to!": "15005550006",
            "from!": "Tidings",
            "sms!": str,
            "type!": "plain",
            "channel!": ("generic", "dnd", "whatsapp"),
            "api_key!": str,
        },
        answer=SENT,
        denied=refused("Invalid API Key", 401),
    )
]
REFUSALS = [
    (refused("Invalid phone number"), "bad_recipient"),
    (refused("Insufficient balance"), "bad_credentials"),
    (refused("ApplicationSenderId not found for applicationId", 404), "bad_credentials"),
    (refused("The sms field is required", 422), "bad_request"),
    (Response(status=200, body=b'{"message":"Country Inactive"}'), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_BODY = (
    b'{"type":"outbound","id":"e1","message_id":"301","receiver":"15005550006",'
    b'"status":"DND Active on Phone Number","sent_at":"2026-01-01 00:00:00"}'
)
_SIGNATURE = hmac.new(b"webhook-secret", _BODY, hashlib.sha512).hexdigest()
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in",
            headers={"x-termii-signature": _SIGNATURE},
            body=_BODY,
            at=NOW,
        ),
        "webhook-secret",
        [Event(message_id="301", happened="failed", at=NOW, id="e1", target="15005550006")],
    )
]
