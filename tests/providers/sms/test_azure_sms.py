"""Azure: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec
import pytest

from tidings.providers.delivery import send
from tidings.providers.exchange import Encoded, Response, Webhook
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.azure_sms import AzureSms

CREDENTIALS = {
    "accessKey": "endpoint=https://acs.example/;accesskey=c2VjcmV0LTAwMDAwMQ==",
    "from": "+15005550001",
}


def answered(status: int, successful: bool = False) -> Response:
    one = {
        "to": "+15005550006",
        "messageId": "az1" if successful else None,
        "httpStatusCode": status,
        "successful": successful,
        "errorMessage": None if successful else "no",
    }
    return Response(status=202, body=msgspec.json.encode({"value": [one]}))


SENT = answered(202, True)
SENT_ID = "az1"
# Made by the vendor's library, azure-communication-sms 1.1, for the two messages of the contract.
_SIGNATURES = (
    "heHb3eAr7TAkVj2ivb4TTD36/ynqnt/UOlOjiwGupgs=",
    "6nv/YsPTmLJoKLt7rdFnziRTD+hOFh1OpVp4bfQNN2M=",
)


def known(request: Encoded) -> bool:
    start = "HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature="
    return request.headers["Authorization"] in {start + each for each in _SIGNATURES}


CALLS = [
    Call(
        url="https://acs.example/sms",
        query={"api-version": "2021-03-07"},
        headers={"x-ms-date": "Thu, 01 Jan 2026 00:00:00 GMT"},
        known=known,
        body={
            "from!": "+15005550001",
            "smsRecipients!": [
                {
                    "to!": "+15005550006",
                    "repeatabilityRequestId": str,
                    "repeatabilityFirstSent": "Thu, 01 Jan 2026 00:00:00 GMT",
                }
            ],
            "message!": str,
            "smsSendOptions": {"enableDeliveryReport!": bool, "tag": str},
        },
        answer=SENT,
    )
]
REFUSALS = [
    (answered(400), "bad_recipient"),
    (answered(404), "bad_credentials"),
    (answered(401), "bad_credentials"),
    (answered(429), "throttled"),
    (answered(500), "retryable"),
    (
        Response(status=400, body=b'{"error":{"code":"BadRequest","message":"no"}}'),
        "bad_request",
    ),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


_REPORT = (
    b'[{"id":"e1","eventType":"Microsoft.Communication.SMSDeliveryReportReceived",'
    b'"eventTime":"2026-01-01T00:00:00Z","data":{"messageId":"az1","to":"15005550006",'
    b'"deliveryStatus":"Failed","deliveryStatusDetails":"No route"}}]'
)
WEBHOOKS = [
    (
        called(_REPORT),
        KEY,
        [
            Event(
                message_id="az1",
                happened="failed",
                at=NOW,
                id="e1",
                target="15005550006",
                reason="No route",
            )
        ],
    )
]


def test_event_grid_is_answered_when_it_asks() -> None:
    body = (
        b'[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent",'
        b'"data":{"validationCode":"code-1"}}]'
    )
    answer = AzureSms().answer_webhook(called(body), KEY)
    assert answer is not None
    assert (answer.status, answer.json()) == (200, {"validationResponse": "code-1"})
    assert AzureSms().answer_webhook(called(body), "another-key") is None
    assert AzureSms().answer_webhook(called(_REPORT), KEY) is None


@pytest.mark.parametrize(
    "text", ["c2VjcmV0", "endpoint=https://x.example", "endpoint=x;accesskey=c2VjcmV0"]
)
async def test_what_is_no_connection_string_is_said_so(text: str) -> None:
    network, http, _ = fake_network([SENT])
    message = SmsMessage(id="m1", to="+15005550006", content="Hi")
    credentials = {**CREDENTIALS, "accessKey": text}
    result = await send(AzureSms(), credentials, message, network, NOW)
    assert result.outcome == "bad_credentials"
    assert "endpoint=https://" in result.reason
    assert http.requests == []
