"""Expo push."""

from datetime import UTC, datetime

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.delivery import send
from tidings.providers.exchange import Json, Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import Event
from tidings.providers.push.expo import Expo

CREDENTIALS = {"apiKey": "expo-token-0001"}
SENT = Response(status=200, body=b'{"data":[{"status":"ok","id":"ticket-1"}]}')
SENT_ID = "ticket-1"
CALLS = [
    Call(
        url="https://exp.host/--/api/v2/push/send",
        auth={"authorization": "Bearer expo-token-0001"},
        body=[
            {
                "to!": str,
                "title": str,
                "body": str,
                "data": dict,
                "sound": str,
                "badge": int,
                "ttl": int,
                "priority": str,
            }
        ],
        answer=SENT,
        denied=Response(
            status=401, body=b'{"errors":[{"code":"UNAUTHORIZED","message":"Not authorized"}]}'
        ),
    )
]


def _ticket(error: str) -> Response:
    body = f'{{"data":[{{"status":"error","message":"m","details":{{"error":"{error}"}}}}]}}'
    return Response(status=200, body=body.encode())


REFUSALS = [
    (_ticket("DeviceNotRegistered"), "bad_recipient"),
    (_ticket("MessageTooBig"), "bad_request"),
    (_ticket("MessageRateExceeded"), "throttled"),
    (_ticket("MismatchSenderId"), "bad_credentials"),
    (_ticket("InvalidCredentials"), "bad_credentials"),
    (_ticket("SomethingNew"), "bad_request"),
    (
        Response(status=429, body=b'{"errors":[{"code":"TOO_MANY_REQUESTS","message":"slow"}]}'),
        "throttled",
    ),
    (
        Response(
            status=400, body=b'{"errors":[{"code":"PUSH_TOO_MANY_EXPERIENCE_IDS","message":"m"}]}'
        ),
        "bad_request",
    ),
    (Response(status=200, body=b'{"data":[]}'), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def test_each_token_has_its_own_verdict() -> None:
    body = (
        b'{"data":[{"status":"error","message":"gone","details":{"error":"DeviceNotRegistered"}},'
        b'{"status":"ok","id":"ticket-2"}]}'
    )
    network, http, _ = fake_network([Response(status=200, body=body)])
    message = PushMessage(id="m", targets=("a", "b"), title="Hi", content="Hello")
    message = msgspec.structs.replace(message, overrides={"sound": "default"})
    result = await send(Expo(), {}, message, network, NOW)
    assert (result.outcome, result.id) == ("sent", "ticket-2")
    assert [(v.target, v.outcome, v.reason) for v in result.verdicts] == [
        ("a", "bad_recipient", "gone"),
        ("b", "sent", ""),
    ]
    assert "Authorization" not in http.requests[0].headers
    assert http.requests[0].body == msgspec.json.encode(
        [{"to": to, "title": "Hi", "body": "Hello", "sound": "default"} for to in ("a", "b")]
    )


async def test_a_hundred_at_once() -> None:
    network, http, _ = fake_network([Response(status=503)])
    targets = tuple(str(number) for number in range(250))
    await send(
        Expo(), {}, PushMessage(id="m", targets=targets, title="", content="x"), network, NOW
    )
    assert sorted(len(msgspec.json.decode(each.body)) for each in http.requests) == [50, 100, 100]


def test_receipts_are_asked_for_by_ticket() -> None:
    request = Expo().ask_receipts(["t1", "t2"], Credentials(api_key="k"))
    assert request.url == "https://exp.host/--/api/v2/push/getReceipts"
    assert request.headers["Authorization"] == "Bearer k"
    assert request.body == Json({"ids": ["t1", "t2"]})


def test_receipts_say_what_became_of_tickets() -> None:
    body = (
        b'{"data":{"t1":{"status":"ok"},"t2":{"status":"error","message":"gone","details":{"error":'
        b'"DeviceNotRegistered"}},"t3":{"status":"error","details":{"error":"MessageTooBig"}}}}'
    )
    assert Expo().parse_receipts(Response(status=200, body=body)) == [
        Event(message_id="t1", happened="sent"),
        Event(message_id="t2", happened="bounced", reason="gone"),
        Event(message_id="t3", happened="failed", reason="MessageTooBig"),
    ]
    for strange in (b"", b"[]", b'{"data":[]}', b'{"data":{"t":1}}', b"<html>"):
        assert Expo().parse_receipts(Response(status=200, body=strange)) == []
