"""Firebase Cloud Messaging."""

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt as pyjwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tidings.providers.delivery import Network, send
from tidings.providers.exchange import Encoded, Response
from tidings.providers.fake import FakeMail, fake_network
from tidings.providers.fake_vendor import ANY, Call, FakeVendor, content_of
from tidings.providers.messages import PushMessage
from tidings.providers.push.fcm import Fcm

_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_PEM = _KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
ACCOUNT = {
    "type": "service_account",
    "project_id": "demo-1",
    "private_key_id": "key-1",
    "private_key": _PEM,
    "client_email": "push@demo-1.iam.gserviceaccount.com",
    "token_uri": "https://oauth2.googleapis.com/token",
}
CREDENTIALS = {"serviceAccount": msgspec.json.encode(ACCOUNT).decode()}
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _knows_the_account(request: Encoded) -> bool:
    """As Google: the signature, the key's id, whom it is for and how long it lasts."""
    assertion = content_of(request)["assertion"]
    try:
        claims = pyjwt.decode(
            assertion,
            _KEY.public_key(),
            ["RS256"],
            audience="https://oauth2.googleapis.com/token",
            options={"verify_exp": False, "verify_iat": False},
        )
    except pyjwt.InvalidTokenError:
        return False
    return bool(
        pyjwt.get_unverified_header(assertion)["kid"] == "key-1"
        and claims["iss"] == "push@demo-1.iam.gserviceaccount.com"
        and claims["scope"] == "https://www.googleapis.com/auth/firebase.messaging"
        and 0 < claims["exp"] - claims["iat"] <= 3600
        and claims["iat"] == int(NOW.timestamp())
    )


BEFORE = [
    Response(
        status=200,
        body=b'{"access_token":"ya29.token","expires_in":3599,"token_type":"Bearer"}',
    )
]
SENT = Response(status=200, body=b'{"name":"projects/demo-1/messages/0:1"}')
SENT_ID = "projects/demo-1/messages/0:1"
CALLS = [
    Call(
        url="https://oauth2.googleapis.com/token",
        mime="application/x-www-form-urlencoded",
        known=_knows_the_account,
        body={
            "grant_type!": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "assertion!": str,
        },
        answer=BEFORE[0],
        denied=Response(
            status=400, body=b'{"error":"invalid_grant","error_description":"Invalid signature"}'
        ),
    ),
    Call(
        url="https://fcm.googleapis.com/v1/projects/demo-1/messages:send",
        auth={"authorization": "Bearer ya29.token"},
        body={
            "message!": {
                "token!": str,
                "notification": {"title": str, "body": str, "image": str},
                "data": {"*": str},
                "android": ANY,
                "apns": ANY,
                "webpush": ANY,
                "fcm_options": ANY,
            },
            "validate_only": bool,
        },
        answer=SENT,
    ),
]


def _error(status: int, general: str, own: str = "", message: str = "m") -> Response:
    details: list[Any] = [{"@type": "type.googleapis.com/google.rpc.BadRequest"}]
    if own:
        kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        details.append({"@type": kind, "errorCode": own})
    error = {"code": status, "status": general, "message": message, "details": details}
    return Response(status=status, body=msgspec.json.encode({"error": error}))


REFUSALS = [
    (_error(404, "NOT_FOUND", "UNREGISTERED"), "bad_recipient"),
    (_error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"), "bad_recipient"),
    (
        _error(
            400,
            "INVALID_ARGUMENT",
            "INVALID_ARGUMENT",
            "The registration token is not a valid FCM registration token",
        ),
        "bad_recipient",
    ),
    (_error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid value"), "bad_request"),
    (_error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"), "bad_credentials"),
    (_error(403, "PERMISSION_DENIED"), "bad_credentials"),
    (_error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), "throttled"),
    (_error(503, "UNAVAILABLE", "UNAVAILABLE"), "retryable"),
    (_error(500, "INTERNAL", "INTERNAL"), "retryable"),
]
MESSAGE = PushMessage(id="m1", targets=("t1",), title="Hi", content="Hello", payload={"n": 7})


async def _sent(message: PushMessage, credentials: dict[str, str] = CREDENTIALS) -> Any:
    fake = FakeVendor(*CALLS)
    result = await send(Fcm(), credentials, message, Network(fake, FakeMail()), NOW)
    return result, fake


async def test_one_call_for_each_token_and_one_access_token_for_all() -> None:
    fake = FakeVendor(*CALLS)
    network = Network(fake, FakeMail())
    message = msgspec.structs.replace(MESSAGE, targets=("t1", "t2", "t3"))
    result = await send(Fcm(), CREDENTIALS, message, network, NOW)
    assert [verdict.target for verdict in result.verdicts] == ["t1", "t2", "t3"]
    later = NOW + timedelta(minutes=50)
    await send(Fcm(), CREDENTIALS, message, network, later)
    asked = [request.url for request in fake.requests]
    assert asked.count("https://oauth2.googleapis.com/token") == 1
    assert len(asked) == 7


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (
            {},
            {"notification": {"title": "Hi", "body": "Hello"}, "data": {"n": "7"}},
        ),
        (
            {"type": "data"},
            {"data": {"n": "7", "title": "Hi", "body": "Hello", "message": "Hello"}},
        ),
        (
            {
                "image": "https://e.example/i.png",
                "android": {"priority": "high"},
                "webPush": {"headers": {"TTL": "1"}},
                "data": {"extra": {"a": 1}},
            },
            {
                "notification": {
                    "title": "Hi",
                    "body": "Hello",
                    "image": "https://e.example/i.png",
                },
                "data": {"n": "7", "extra": '{"a":1}'},
                "android": {"priority": "high"},
                "webpush": {"headers": {"TTL": "1"}},
            },
        ),
    ],
)
async def test_overrides(overrides: dict[str, Any], expected: dict[str, Any]) -> None:
    result, fake = await _sent(msgspec.structs.replace(MESSAGE, overrides=overrides))
    assert result.outcome == "sent"
    assert content_of(fake.requests[-1]) == {"message": {"token": "t1", **expected}}


async def test_a_refused_access_token_is_got_anew() -> None:
    expired = _error(401, "UNAUTHENTICATED")
    network, http, _ = fake_network([BEFORE[0], expired, BEFORE[0], SENT])
    assert (await send(Fcm(), CREDENTIALS, MESSAGE, network, NOW)).outcome == "sent"
    assert len(http.requests) == 4


@pytest.mark.parametrize(
    "account",
    [
        {**ACCOUNT, "private_key": "not a key"},
        {**ACCOUNT, "private_key_id": "another"},
        {**ACCOUNT, "client_email": "someone@else.example"},
        {},
    ],
)
async def test_an_account_that_google_does_not_know(account: dict[str, str]) -> None:
    given = {"serviceAccount": msgspec.json.encode(account).decode()}
    result, fake = await _sent(MESSAGE, given)
    assert result.outcome == "bad_credentials"
    assert not any("fcm.googleapis.com" in request.url for request in fake.requests)
