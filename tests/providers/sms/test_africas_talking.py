"""Africa's Talking: a fake written from its page, and what it reports."""

from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.africas_talking import AfricasTalking

CREDENTIALS = {"apiKey": "key-000001", "user": "ada", "from": "Tidings"}


def answered(code: int, status: str) -> Response:
    one = {"statusCode": code, "status": status, "messageId": "AT1", "number": "+15005550006"}
    data = {"Message": "Sent to 1/1", "Recipients": [one]}
    return Response(status=201, body=msgspec.json.encode({"SMSMessageData": data}))


SENT = answered(101, "Success")
SENT_ID = "AT1"
CALLS = [
    Call(
        url="https://api.africastalking.com/version1/messaging",
        auth={"apikey": "key-000001"},
        headers={"accept": "application/json"},
        mime="application/x-www-form-urlencoded",
        body={
            "username!": "ada",
            "to!": "+15005550006",
            "message!": str,
            "from": "Tidings",
            "bulkSMSMode": "1",
        },
        answer=SENT,
        denied=Response(status=401, body=b"The supplied authentication is invalid"),
    )
]
REFUSALS = [
    *((answered(code, "No"), "bad_recipient") for code in (403, 404, 406, 409)),
    *((answered(code, "No"), "bad_credentials") for code in (401, 402, 405)),
    *((answered(code, "No"), "retryable") for code in (407, 500, 501, 502)),
    (
        Response(
            status=201, body=b'{"SMSMessageData":{"Message":"InvalidSenderId","Recipients":[]}}'
        ),
        "bad_credentials",
    ),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

KEY = "key-of-the-webhook"


def called(body: bytes = b"", **query: str) -> Webhook:
    query = {"token": KEY, **query}
    return Webhook(url="https://tidings.example/in", query=query, body=body, at=NOW)


WEBHOOKS = [
    (
        called(b"id=AT1&status=Failed&phoneNumber=%2B15005550006&failureReason=UserDoesNotExist"),
        KEY,
        [
            Event(
                message_id="AT1",
                happened="failed",
                target="+15005550006",
                reason="UserDoesNotExist",
            )
        ],
    ),
    (called(b"id=AT1&status=Success"), KEY, [Event(message_id="AT1", happened="delivered")]),
]


def test_the_sandbox_has_an_address_of_its_own() -> None:
    message = SmsMessage(id="m1", to="+15005550006", content="Hi")
    request = AfricasTalking().build_request(message, Credentials(user="sandbox"))
    assert request.url == "https://api.sandbox.africastalking.com/version1/messaging"
