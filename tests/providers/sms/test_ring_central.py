"""RingCentral: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.delivery import send
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.ring_central import RingCentral

CREDENTIALS = {
    "clientId": "client-1",
    "secretKey": "secret-000001",
    "token": "jwt-000000001",
    "from": "+15005550001",
}
_TOKEN = Response(status=200, body=b'{"access_token":"access-1","expires_in":3600}')
BEFORE = [_TOKEN]
SENT = Response(status=200, body=b'{"id":12,"creationTime":"2026-01-01T00:00:00.000Z"}')
SENT_ID = "12"
CALLS = [
    Call(
        url="https://platform.ringcentral.com/restapi/oauth/token",
        auth={"authorization": "Basic " + b64encode(b"client-1:secret-000001").decode()},
        mime="application/x-www-form-urlencoded",
        body={
            "grant_type!": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "assertion!": "jwt-000000001",
        },
        answer=_TOKEN,
        denied=Response(
            status=400, body=b'{"error":"invalid_client","error_description":"no such client"}'
        ),
    ),
    Call(
        url="https://platform.ringcentral.com/restapi/v1.0/account/~/extension/~/sms",
        auth={"authorization": "Bearer access-1"},
        body={
            "from!": {"phoneNumber!": "+15005550001"},
            "to!": [{"phoneNumber!": "+15005550006"}],
            "text!": str,
        },
        answer=SENT,
    ),
]


def refused(code: str, parameter: str = "", status: int = 400) -> Response:
    body = {
        "errorCode": code,
        "message": "no",
        "errors": [{"errorCode": code, "parameterName": parameter}],
    }
    return Response(status=status, body=msgspec.json.encode(body))


REFUSALS = [
    (refused("CMN-101", "to"), "bad_recipient"),
    (refused("CMN-101", "text"), "bad_request"),
    (refused("MSG-246"), "bad_credentials"),
    (refused("InsufficientPermissions", "", 403), "bad_credentials"),
    (refused("CMN-301", "", 429), "throttled"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "verification-token"


def called(body: bytes, **headers: str) -> Webhook:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Webhook(url="https://tidings.example/in", headers=named, body=body, at=NOW)


WEBHOOKS = [
    (
        called(
            b'{"uuid":"e1","timestamp":"2026-01-01T00:00:00Z","body":{"id":12,'
            b'"messageStatus":"DeliveryFailed","to":[{"phoneNumber":"+15005550006"}]}}',
            verification_token=KEY,
        ),
        KEY,
        [Event(message_id="12", happened="failed", at=NOW, id="e1", target="+15005550006")],
    )
]


def test_the_first_call_is_echoed() -> None:
    answer = RingCentral().answer_webhook(called(b"", validation_token="abc"), KEY)
    assert answer is not None
    assert (answer.status, answer.headers) == (200, {"validation-token": "abc"})
    assert RingCentral().answer_webhook(called(b"{}"), KEY) is None


async def test_a_token_is_kept_and_got_anew_when_refused() -> None:
    network, http, _ = fake_network(
        [_TOKEN, SENT, Response(status=401), _TOKEN, SENT, Response(status=401)]
    )
    message = SmsMessage(id="m1", to="+15005550006", content="Hi")
    for _ in range(2):
        assert (await send(RingCentral(), CREDENTIALS, message, network, NOW)).outcome == "sent"
    paths = [request.url.rpartition("/")[2] for request in http.requests]
    assert paths == ["token", "sms", "sms", "token", "sms"]


def test_the_sandbox_has_a_server_of_its_own() -> None:
    message = SmsMessage(id="m1", to="+15005550006", content="Hi")
    request = RingCentral().build_request(message, Credentials(secure=True))
    assert request.url.startswith("https://platform.devtest.ringcentral.com/")
