"""SendGrid."""

import base64
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tidings.domain.integrations import Credentials
from tidings.providers.email.sendgrid import SendGrid
from tidings.providers.exchange import Json, Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {
    "apiKey": "SG.key-00000001",
    "from": "news@example.com",
    "senderName": "News",
    "ipPoolName": "slow",
    "region": "",
}
SENT = Response(
    status=202,
    headers={"x-message-id": "14c5d75ce93", "date": "Thu, 01 Jan 2026 00:00:00 GMT"},
)
SENT_ID = "14c5d75ce93"
_PERSON = {"email!": str, "name": str}
CALLS = [
    Call(
        url="https://api.sendgrid.com/v3/mail/send",
        auth={"authorization": "Bearer SG.key-00000001"},
        body={
            "personalizations!": [
                {
                    "to!": [_PERSON],
                    "cc": [_PERSON],
                    "bcc": [_PERSON],
                    "dynamic_template_data": dict,
                }
            ],
            "from!": _PERSON,
            "reply_to": _PERSON,
            "subject!": str,
            "content!": [{"type!": ("text/plain", "text/html"), "value!": str}],
            "attachments": [
                {
                    "content!": str,
                    "type": str,
                    "filename!": str,
                    "disposition": ("inline", "attachment"),
                    "content_id": str,
                }
            ],
            "headers": {"*": str},
            "categories": [str],
            "custom_args": {"*": str},
            "ip_pool_name": str,
            "template_id": str,
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"errors":[{"message":"The provided authorization grant is invalid"}]}',
        ),
    )
]
REFUSALS = [
    (
        Response(
            status=400,
            body=b'{"errors":[{"message":"Does not contain a valid address.",'
            b'"field":"personalizations.0.to.0.email","help":null}]}',
        ),
        "bad_recipient",
    ),
    (
        Response(
            status=403,
            body=b'{"errors":[{"message":"The from address does not match a verified Sender '
            b'Identity.","field":"from","help":null}]}',
        ),
        "bad_credentials",
    ),
    (
        Response(status=400, body=b'{"errors":[{"message":"empty","field":"content.0.value"}]}'),
        "bad_request",
    ),
    (
        Response(status=413, body=b'{"errors":[{"message":"too large","field":null}]}'),
        "bad_request",
    ),
]

_PRIVATE = ec.generate_private_key(ec.SECP256R1())
_PUBLIC = base64.b64encode(
    _PRIVATE.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
).decode()
_AT = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def _signed(body: bytes, stamp: str = "1767225600") -> Webhook:
    signature = _PRIVATE.sign(stamp.encode() + body, ec.ECDSA(SHA256()))
    return Webhook(
        url="https://tidings.example/in",
        headers={
            "x-twilio-email-event-webhook-timestamp": stamp,
            "x-twilio-email-event-webhook-signature": base64.b64encode(signature).decode(),
        },
        body=body,
        at=_AT,
    )


WEBHOOKS = [
    (
        _signed(
            b'[{"email":"ada@example.com","timestamp":1767225600,"event":"delivered",'
            b'"sg_event_id":"e1","sg_message_id":"14c5d75ce93.filter-1","id":"m1"},'
            b'{"email":"ada@example.com","timestamp":1767225660,"event":"bounce","type":"blocked",'
            b'"reason":"500 no","sg_event_id":"e2","sg_message_id":"14c5d75ce93.filter-1"},'
            b'{"event":"something new","sg_message_id":"x"}]'
        ),
        _PUBLIC,
        [
            Event(
                message_id="m1",
                happened="delivered",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                id="e1",
                target="ada@example.com",
            ),
            Event(
                message_id="14c5d75ce93",
                happened="soft_bounced",
                at=datetime(2026, 1, 1, 0, 1, tzinfo=UTC),
                id="e2",
                target="ada@example.com",
                reason="500 no",
            ),
        ],
    )
]


def test_an_old_or_changed_webhook_is_not_theirs() -> None:
    good = _signed(b"[]")
    assert SendGrid().verify_webhook(good, _PUBLIC)
    assert not SendGrid().verify_webhook(_signed(b"[]", "1700000000"), _PUBLIC)
    changed = Webhook(url=good.url, headers=good.headers, body=b"[{}]", at=_AT)
    assert not SendGrid().verify_webhook(changed, _PUBLIC)


def test_an_address_is_named_once() -> None:
    message = EmailMessage(
        id="m",
        to=("a@example.com", "A@example.com"),
        cc=("a@example.com", "b@example.com"),
        bcc=("b@example.com",),
        subject="s",
        text="t",
    )
    request = SendGrid().build_request(message, Credentials(from_="n@example.com"))
    assert isinstance(request.body, Json)
    [person] = request.body.value["personalizations"]
    assert [each["email"].lower() for each in person["to"]] == ["a@example.com"]
    assert person["cc"] == [{"email": "b@example.com"}]
    assert "bcc" not in person


def test_the_region_has_its_own_host() -> None:
    message = EmailMessage(id="m", to=("a@example.com",), subject="s", text="t")
    request = SendGrid().build_request(message, Credentials(region="eu"))
    assert request.url == "https://api.eu.sendgrid.com/v3/mail/send"
