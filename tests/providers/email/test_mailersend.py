"""MailerSend."""

import hashlib
import hmac
from datetime import UTC, datetime

from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "mlsn.000000001", "from": "news@example.com", "senderName": "News"}
SENT = Response(status=202, headers={"x-message-id": "5e42957d51f1d94a1070a733"})
SENT_ID = "5e42957d51f1d94a1070a733"
_PERSON = {"email!": str, "name": str}
CALLS = [
    Call(
        url="https://api.mailersend.com/v1/email",
        auth={"authorization": "Bearer mlsn.000000001"},
        body={
            "from!": _PERSON,
            "to!": [_PERSON],
            "cc": [_PERSON],
            "bcc": [_PERSON],
            "reply_to": _PERSON,
            "subject!": str,
            "text": str,
            "html": str,
            "attachments": [
                {
                    "filename!": str,
                    "content!": str,
                    "disposition!": ("inline", "attachment"),
                    "id": str,
                }
            ],
            "headers": [{"name!": str, "value!": str}],
            "tags": [str],
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"message":"Unauthenticated."}'),
    )
]
REFUSALS = [
    (
        Response(
            status=202,
            headers={"x-message-id": "x"},
            body=b'{"message":"There are some warnings","warnings":[{"type":"ALL_SUPPRESSED",'
            b'"warning":"All recipients are suppressed","recipients":[]}]}',
        ),
        "bad_recipient",
    ),
    (
        Response(
            status=422,
            body=b'{"message":"The to.0.email must be a valid email address.",'
            b'"errors":{"to.0.email":["The to.0.email must be a valid email address."]}}',
        ),
        "bad_recipient",
    ),
    (
        Response(
            status=422,
            body=b'{"message":"The from.email domain must be verified in your account.",'
            b'"errors":{"from.email":["The from.email domain must be verified. #MS42207"]}}',
        ),
        "bad_credentials",
    ),
    (
        Response(
            status=422,
            body=b'{"message":"The subject is required","errors":{"subject":["required"]}}',
        ),
        "bad_request",
    ),
]
_KEY = "mailersend-signing-secret"
_NEWER = (
    b'{"type":"activity.hard_bounced","created_at":"2026-01-01T00:00:00.000000Z","data":{'
    b'"type":"hard_bounced","id":"ev1","message_id":"5e42957d51f1d94a1070a733",'
    b'"recipient":"ada@example.com","meta":{"bounce_reason":"no mailbox"}}}'
)
_OLDER = (
    b'{"type":"activity.delivered","data":{"object":"activity","id":"ev2","type":"delivered",'
    b'"created_at":"2026-01-01T00:00:00.000000Z","email":{"message":{"id":"5e4"},'
    b'"recipient":{"email":"ada@example.com"}},"morph":null}}'
)


def _signed(body: bytes) -> Webhook:
    signature = hmac.new(_KEY.encode(), body, hashlib.sha256).hexdigest()
    return Webhook(
        url="https://t.example",
        headers={"signature": signature},
        body=body,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


WEBHOOKS = [
    (
        _signed(_NEWER),
        _KEY,
        [
            Event(
                message_id="5e42957d51f1d94a1070a733",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="ev1",
                target="ada@example.com",
                reason="no mailbox",
            )
        ],
    ),
    (
        _signed(_OLDER),
        _KEY,
        [
            Event(
                message_id="5e4",
                happened="delivered",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="ev2",
                target="ada@example.com",
            )
        ],
    ),
    (_signed(b'{"type":"webhook.test"}'), _KEY, []),
]
