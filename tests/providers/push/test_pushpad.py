"""Pushpad."""

from datetime import UTC, datetime

from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import PushMessage
from tidings.providers.push.pushpad import Pushpad

CREDENTIALS = {"apiKey": "pushpad-token-1", "applicationId": "123"}
SENT = Response(status=201, body=b'{"id":123456789,"scheduled":1,"uids":["token"]}')
SENT_ID = "123456789"
CALLS = [
    Call(
        url="https://pushpad.xyz/api/v1/projects/123/notifications",
        auth={"authorization": "Bearer pushpad-token-1"},
        body={
            "title": str,
            "body!": str,
            "uids": [str],
            "target_url": str,
            "icon_url": str,
            "image_url": str,
            "ttl": int,
            "custom_data": str,
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"error":"HTTP Token: Access denied."}'),
    )
]
REFUSALS = [
    (Response(status=201, body=b'{"id":1,"scheduled":0,"uids":[]}'), "bad_recipient"),
    (Response(status=404, body=b'{"error":"Project not found"}'), "bad_credentials"),
    (Response(status=403, body=b'{"error":"Forbidden"}'), "bad_credentials"),
    (Response(status=422, body=b'{"errors":{"body":["is too long"]}}'), "bad_request"),
]


async def test_who_is_not_subscribed_is_named() -> None:
    network, _, _ = fake_network(
        [Response(status=201, body=b'{"id":9,"scheduled":1,"uids":["a"]}')]
    )
    message = PushMessage(id="m", targets=("a", "b"), title="Hi", content="Hello")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    result = await send(Pushpad(), CREDENTIALS, message, network, now)
    assert (result.outcome, result.id) == ("sent", "9")
    assert [(v.target, v.outcome) for v in result.verdicts] == [
        ("a", "sent"),
        ("b", "bad_recipient"),
    ]
