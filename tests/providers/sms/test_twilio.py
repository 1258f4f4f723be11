"""Twilio: a fake written from its page, and what it reports."""

from base64 import b64encode
from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import Event
from tidings.providers.sms.twilio import Twilio

CREDENTIALS = {"accountSid": "AC0001", "token": "auth-token-0000001", "from": "+15005550001"}
SENT = Response(
    status=201,
    body=b'{"sid":"SM1","status":"queued","date_created":"Thu, 01 Jan 2026 00:00:00 +0000"}',
)
SENT_ID = "SM1"
CALLS = [
    Call(
        url="https://api.twilio.com/2010-04-01/Accounts/AC0001/Messages.json",
        auth={"authorization": "Basic " + b64encode(b"AC0001:auth-token-0000001").decode()},
        mime="application/x-www-form-urlencoded",
        body={"To!": "+15005550006", "Body!": str, "From!": "+15005550001"},
        answer=SENT,
        denied=Response(status=401, body=b'{"code":20003,"message":"Authenticate","status":401}'),
    )
]


def refused(code: int, status: int = 400) -> Response:
    body = {"code": code, "message": "no", "more_info": "https://x", "status": status}
    return Response(status=status, body=msgspec.json.encode(body))


REFUSALS = [
    *((refused(code), "bad_recipient") for code in (21211, 21614, 21610, 21612, 21408)),
    *((refused(code), "bad_credentials") for code in (21606, 21659, 21608)),
    (refused(14107), "throttled"),
    (refused(20429, 429), "throttled"),
    (refused(30001), "retryable"),
    (refused(21617), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)

_BODY = b"MessageSid=SM1&MessageStatus=undelivered&To=%2B15005550006&ErrorCode=30003&SmsSid=SM1"
_FAILED = Event(message_id="SM1", happened="failed", target="+15005550006", reason="30003")


def signed(url: str, signature: str) -> Webhook:
    """The signatures were made by the vendor's library, twilio 9.13."""
    return Webhook(url=url, headers={"x-twilio-signature": signature}, body=_BODY, at=NOW)


WEBHOOKS = [
    (
        signed("https://tidings.example/in?a=1", "S274jzYMqcEL6XPjMIkuOPfthxY="),
        "auth-token-0000001",
        [_FAILED],
    ),
    (
        signed("https://tidings.example/in?a=1", "DkT6tv8CDxDUtecYyaUff2KQFrY="),
        "auth-token-0000001",
        [_FAILED],
    ),
]


def test_the_example_of_twilios_page() -> None:
    webhook = Webhook(
        url="https://mycompany.com/myapp.php?foo=1&bar=2",
        headers={"x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8="},
        body=b"CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234"
        b"&From=%2B14158675309&To=%2B18005551212",
        at=NOW,
    )
    assert Twilio().verify_webhook(webhook, "12345")
    changed = msgspec.structs.replace(webhook, body=webhook.body + b"1")
    assert not Twilio().verify_webhook(changed, "12345")
    elsewhere = msgspec.structs.replace(webhook, url="https://mycompany.com/other")
    assert not Twilio().verify_webhook(elsewhere, "12345")


def test_a_messaging_service_sends_too() -> None:
    message = SmsMessage(id="m1", to="+15005550006", content="Hi", from_="MG0001")
    request = Twilio().build_request(message, Credentials(account_sid="AC1", from_="+1"))
    assert request.body is not None
    assert request.body.fields == {  # type: ignore[union-attr]
        "To": "+15005550006",
        "Body": "Hi",
        "MessagingServiceSid": "MG0001",
    }
