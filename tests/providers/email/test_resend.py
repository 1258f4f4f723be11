"""Resend."""

from datetime import UTC, datetime, timedelta

import pytest
from svix.webhooks import Webhook as Svix
from svix.webhooks import WebhookVerificationError

from tidings.providers.email.resend import Resend
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "re_0000000001", "from": "news@example.com", "senderName": "News"}
SENT = Response(status=200, body=b'{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}')
SENT_ID = "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"
CALLS = [
    Call(
        url="https://api.resend.com/emails",
        auth={"authorization": "Bearer re_0000000001"},
        headers={"idempotency-key": "m1"},
        body={
            "from!": str,
            "to!": [str],
            "cc": [str],
            "bcc": [str],
            "reply_to": (str, [str]),
            "subject!": str,
            "html": str,
            "text": str,
            "headers": {"*": str},
            "attachments": [
                {"filename!": str, "content!": str, "content_type": str, "content_id": str}
            ],
            "tags": [{"name!": str, "value!": str}],
            "scheduled_at": str,
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"statusCode":401,"name":"restricted_api_key","message":"API key is invalid"}',
        ),
    )
]


def _error(status: int, name: str, message: str = "m") -> Response:
    body = f'{{"statusCode":{status},"name":"{name}","message":"{message}"}}'
    return Response(status=status, body=body.encode())


REFUSALS = [
    (_error(422, "validation_error", "Invalid `to` field."), "bad_recipient"),
    (_error(403, "validation_error", "The example.com domain is not verified."), "bad_credentials"),
    (_error(400, "invalid_api_key"), "bad_credentials"),
    (_error(429, "rate_limit_exceeded"), "throttled"),
    (_error(429, "daily_quota_exceeded"), "throttled"),
    (_error(429, "monthly_quota_exceeded"), "bad_credentials"),
    (_error(409, "concurrent_idempotent_requests"), "retryable"),
    (_error(409, "invalid_idempotent_request"), "bad_request"),
    (_error(422, "validation_error", "Unable to read the attachment"), "bad_request"),
    (_error(500, "application_error"), "retryable"),
]

_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
_NOW = datetime.now(UTC).replace(microsecond=0)
_BODY = (
    b'{"type":"email.bounced","created_at":"2026-01-01T00:00:00.000Z","data":{"email_id":"49a3",'
    b'"to":["ada@example.com"],"bounce":{"message":"no mailbox"}}}'
)


def _signed(body: bytes = _BODY, at: datetime = _NOW) -> Webhook:
    signature = Svix(_KEY).sign("msg_1", at, body.decode())
    return Webhook(
        url="https://tidings.example/in",
        headers={
            "svix-id": "msg_1",
            "svix-timestamp": str(int(at.timestamp())),
            "svix-signature": f"v1,bm9wZQ== {signature}",
        },
        body=body,
        at=_NOW,
    )


WEBHOOKS = [
    (
        _signed(),
        _KEY,
        [
            Event(
                message_id="49a3",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="msg_1",
                target="ada@example.com",
                reason="no mailbox",
            )
        ],
    )
]


@pytest.mark.parametrize("age", [0, 4, 6, -6, 60 * 24])
def test_agrees_with_svix(age: int) -> None:
    webhook = _signed(at=_NOW - timedelta(minutes=age))
    try:
        Svix(_KEY).verify(webhook.body, dict(webhook.headers))
        theirs = True
    except WebhookVerificationError:
        theirs = False
    assert Resend().verify_webhook(webhook, _KEY) is theirs


def test_a_changed_body_is_not_theirs() -> None:
    good = _signed()
    changed = Webhook(url=good.url, headers=good.headers, body=good.body + b" ", at=good.at)
    assert not Resend().verify_webhook(changed, _KEY)
