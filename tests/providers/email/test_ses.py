"""Amazon SES."""

import base64
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from typing import Any

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tidings.domain.integrations import Credentials
from tidings.providers.email.ses import Ses
from tidings.providers.exchange import Encoded, Json, Request, Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event
from tidings.providers.signing import SigV4

CREDENTIALS = {
    "apiKey": "AKIDEXAMPLE0001",
    "secretKey": "secret-access-key",
    "region": "eu-central-1",
    "from": "news@example.com",
    "senderName": "News",
}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _signed_by_us(request: Encoded) -> bool:
    """tests/providers/test_signing.py compares the signature itself with Amazon's library."""
    signer = SigV4(
        access_key="AKIDEXAMPLE0001",
        secret_key="secret-access-key",
        region="eu-central-1",
        service="ses",
        at=NOW,
    )
    return signer.headers(request).items() <= request.headers.items()


SENT = Response(status=200, body=b'{"MessageId":"0102-000000"}')
SENT_ID = "0102-000000"
CALLS = [
    Call(
        url="https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails",
        known=_signed_by_us,
        body={
            "FromEmailAddress": str,
            "Destination!": {"ToAddresses": [str], "CcAddresses": [str], "BccAddresses": [str]},
            "ReplyToAddresses": [str],
            "Content!": {"Raw!": {"Data!": str}},
            "EmailTags": [{"Name!": str, "Value!": str}],
            "ConfigurationSetName": str,
        },
        answer=SENT,
        denied=Response(
            status=403,
            headers={"x-amzn-errortype": "SignatureDoesNotMatch:http://internal.amazon.com/"},
            body=b'{"message":"The request signature we calculated does not match"}',
        ),
    )
]


def _error(status: int, kind: str, message: str) -> Response:
    return Response(
        status=status,
        headers={"x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/"},
        body=msgspec.json.encode({"message": message}),
    )


REFUSALS = [
    (_error(400, "MessageRejected", "Email address is not verified."), "bad_credentials"),
    (_error(400, "MailFromDomainNotVerifiedException", "m"), "bad_credentials"),
    (_error(400, "AccountSuspendedException", "m"), "bad_credentials"),
    (_error(403, "InvalidClientTokenId", "m"), "bad_credentials"),
    (_error(400, "BadRequestException", "Local address contains control"), "bad_request"),
    (_error(400, "LimitExceededException", "m"), "throttled"),
    (_error(429, "TooManyRequestsException", "m"), "throttled"),
]

TOPIC = "arn:aws:sns:eu-central-1:123456789012:mail"
_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
_CERTIFICATE = (
    x509.CertificateBuilder()
    .subject_name(_NAME)
    .issuer_name(_NAME)
    .public_key(_KEY.public_key())
    .serial_number(1)
    .not_valid_before(NOW - timedelta(days=1))
    .not_valid_after(NOW + timedelta(days=1))
    .sign(_KEY, SHA256())
    .public_bytes(Encoding.PEM)
)
_CERTIFICATE_URL = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"


def _notification(version: str = "2", **changes: Any) -> Webhook:
    message = {
        "eventType": "Bounce",
        "mail": {"messageId": "0102-000000", "timestamp": "2026-01-01T00:00:00.000Z"},
        "bounce": {
            "bounceType": "Permanent",
            "timestamp": "2026-01-01T00:00:05.000Z",
            "bouncedRecipients": [
                {"emailAddress": "ada@example.com", "diagnosticCode": "smtp; 550"}
            ],
        },
    }
    envelope = {
        "Type": "Notification",
        "MessageId": "sns-1",
        "TopicArn": TOPIC,
        "Message": msgspec.json.encode(message).decode(),
        "Timestamp": "2026-01-01T00:00:06.000Z",
    }
    names = ("Message", "MessageId", "Timestamp", "TopicArn", "Type")
    return _signed(envelope, names, version, changes)


def _confirmation(**changes: Any) -> Webhook:
    envelope = {
        "Type": "SubscriptionConfirmation",
        "MessageId": "sns-2",
        "TopicArn": TOPIC,
        "Token": "t",
        "Message": "You have chosen to subscribe",
        "SubscribeURL": "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription",
        "Timestamp": "2026-01-01T00:00:06.000Z",
    }
    names = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")
    return _signed(envelope, names, "1", changes)


def _signed(
    envelope: dict[str, str], names: tuple[str, ...], version: str, changes: dict[str, Any]
) -> Webhook:
    text = "".join(f"{name}\n{envelope[name]}\n" for name in names).encode()
    hash = SHA1() if version == "1" else SHA256()
    whole = {
        **envelope,
        "SignatureVersion": version,
        "Signature": base64.b64encode(_KEY.sign(text, padding.PKCS1v15(), hash)).decode(),
        "SigningCertURL": _CERTIFICATE_URL,
        **changes,
    }
    return Webhook(
        url="https://tidings.example/in",
        headers={"x-amz-sns-message-type": envelope["Type"]},
        body=msgspec.json.encode(whole),
        at=NOW,
        fetched=_CERTIFICATE,
    )


_BOUNCED = Event(
    message_id="0102-000000",
    happened="bounced",
    at=datetime(2026, 1, 1, 0, 0, 5, tzinfo=UTC),
    id="sns-1",
    target="ada@example.com",
    reason="smtp; 550",
)
WEBHOOKS = [
    (_notification("1"), TOPIC, [_BOUNCED]),
    (_notification("2"), TOPIC, [_BOUNCED]),
    (_confirmation(), TOPIC, []),
]


def test_the_certificate_is_fetched_from_amazon_only() -> None:
    assert Ses().needs(_notification()) == Request(
        method="GET", url=_CERTIFICATE_URL, overrides="none"
    )
    for url in (
        "http://sns.eu-central-1.amazonaws.com/a.pem",
        "https://sns.eu-central-1.amazonaws.com.evil.example/a.pem",
        "https://evil.example/sns.eu-central-1.amazonaws.com/a.pem",
        "https://sns.eu-central-1.amazonaws.com@evil.example/a.pem",
    ):
        webhook = _notification(SigningCertURL=url)
        assert Ses().needs(webhook) is None
        assert not Ses().verify_webhook(webhook, TOPIC)


def test_a_changed_notification_is_not_theirs() -> None:
    for changes in (
        {"Message": "{}"},
        {"TopicArn": TOPIC + "-other"},
        {"Timestamp": "2025-12-01T00:00:06.000Z"},
        {"Signature": "AAAA"},
        {"Subject": "not signed"},
        {"Type": "UnsubscribeConfirmation"},
    ):
        assert not Ses().verify_webhook(_notification(**changes), TOPIC)


def test_a_subscription_is_confirmed_at_amazon_only() -> None:
    asked = Ses().confirms(_confirmation())
    assert asked is not None
    assert asked.url == "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription"
    assert Ses().confirms(_confirmation(SubscribeURL="https://evil.example/")) is None
    assert Ses().confirms(_notification()) is None


def test_blind_copies_are_in_the_envelope_only() -> None:
    message = EmailMessage(
        id="m", to=("a@example.com",), bcc=("b@example.com",), subject="s", text="t"
    )
    credentials = Credentials(from_="n@example.com", region="cn-north-1")
    request = Ses().build_request(message, credentials)
    assert request.url.startswith("https://email.cn-north-1.amazonaws.com.cn/")
    assert isinstance(request.body, Json)
    assert request.body.value["Destination"]["BccAddresses"] == ["b@example.com"]
    sent = base64.b64decode(request.body.value["Content"]["Raw"]["Data"])
    assert b"b@example.com" not in sent
    assert message_from_bytes(sent)["To"] == "a@example.com"
