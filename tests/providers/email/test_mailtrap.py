"""Mailtrap."""

import hashlib
import hmac
from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "mailtrap-00001", "from": "news@example.com", "senderName": "News"}
SENT = Response(status=200, body=b'{"success":true,"message_ids":["0c7fd939"]}')
SENT_ID = "0c7fd939"
_PERSON = {"email!": str, "name": str}
CALLS = [
    Call(
        url="https://send.api.mailtrap.io/api/send",
        auth={"authorization": "Bearer mailtrap-00001"},
        body={
            "from!": _PERSON,
            "to!": [_PERSON],
            "cc": [_PERSON],
            "bcc": [_PERSON],
            "reply_to": _PERSON,
            "subject!": str,
            "text": str,
            "html": str,
            "headers": {"*": str},
            "attachments": [
                {
                    "filename!": str,
                    "content!": str,
                    "type": str,
                    "disposition": ("inline", "attachment"),
                    "content_id": str,
                }
            ],
            "category": str,
            "custom_variables": {"*": str},
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"success":false,"errors":["Unauthorized"]}'),
    )
]
REFUSALS = [
    (
        Response(status=400, body=b'{"success":false,"errors":["\'to\' address is invalid"]}'),
        "bad_recipient",
    ),
    (Response(status=401, body=b'{"error":"Incorrect API token"}'), "bad_credentials"),
    (Response(status=403, body=b'{"errors":["Domain is not allowed"]}'), "bad_credentials"),
    (
        Response(status=400, body=b'{"success":false,"errors":["\'subject\' is required"]}'),
        "bad_request",
    ),
]
_KEY = "mailtrap-signature-secret"
_BODY = (
    b'{"events":[{"event":"soft bounce","message_id":"0c7fd939","email":"ada@example.com",'
    b'"timestamp":1767225600,"event_id":"ev1","response":"450 later"},{"event":"reject",'
    b'"message_id":"x","event_id":"ev2"}]}'
)
WEBHOOKS = [
    (
        Webhook(
            url="https://t.example",
            headers={
                "mailtrap-signature": hmac.new(_KEY.encode(), _BODY, hashlib.sha256).hexdigest()
            },
            body=_BODY,
            at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        _KEY,
        [
            Event(
                message_id="0c7fd939",
                happened="soft_bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="ev1",
                target="ada@example.com",
                reason="450 later",
            ),
            Event(message_id="x", happened="rejected", id="ev2"),
        ],
    )
]
