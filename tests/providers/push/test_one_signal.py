"""OneSignal."""

import uuid
from datetime import UTC, datetime

import msgspec

from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import PushMessage
from tidings.providers.push.one_signal import OneSignal

CREDENTIALS = {"applicationId": "app-1", "apiKey": "os_v2_app_00001"}
SENT = Response(status=200, body=b'{"id":"458dcec4","external_id":null}')
SENT_ID = "458dcec4"
CALLS = [
    Call(
        url="https://api.onesignal.com/notifications",
        auth={"authorization": "Key os_v2_app_00001"},
        body={
            "app_id!": "app-1",
            "include_subscription_ids!": [str],
            "target_channel": "push",
            "headings": {"en!": str},
            "contents!": {"en!": str},
            "subtitle": {"en!": str},
            "data": dict,
            "idempotency_key": str,
        },
        answer=SENT,
        denied=Response(
            status=403, body=b'{"errors":["Access denied. Please include a valid key"]}'
        ),
    )
]
REFUSALS = [
    (
        Response(
            status=200,
            body=b'{"id":"","errors":["All included players are not subscribed"]}',
        ),
        "bad_recipient",
    ),
    (
        Response(status=400, body=b'{"errors":{"invalid_player_ids":["token"]}}'),
        "bad_recipient",
    ),
    (Response(status=401, body=b'{"errors":["Invalid key"]}'), "bad_credentials"),
    (Response(status=400, body=b'{"errors":["Message contents required"]}'), "bad_request"),
    (Response(status=200, body=b'{"id":"","errors":["Odd"]}'), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def test_the_unknown_are_named_and_the_others_sent() -> None:
    body = b'{"id":"n1","errors":{"invalid_player_ids":["b"]}}'
    network, http, _ = fake_network([Response(status=200, body=body)])
    message = PushMessage(id="m", targets=("a", "b"), title="Hi", content="Hello")
    result = await send(OneSignal(), CREDENTIALS, message, network, NOW)
    assert (result.outcome, result.id) == ("sent", "n1")
    assert [(v.target, v.outcome) for v in result.verdicts] == [
        ("a", "sent"),
        ("b", "bad_recipient"),
    ]
    await send(OneSignal(), CREDENTIALS, message, network, NOW)
    keys = [msgspec.json.decode(each.body)["idempotency_key"] for each in http.requests]
    assert keys[0] == keys[1] == str(uuid.UUID(keys[0]))
