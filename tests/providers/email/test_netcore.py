"""Netcore."""

from datetime import UTC, datetime

from tidings.domain.integrations import Credentials
from tidings.providers.email.netcore import Netcore
from tidings.providers.exchange import Json, Response, Webhook
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import Event

CREDENTIALS = {"apiKey": "netcore-key-01", "from": "news@example.com", "senderName": "News"}
SENT = Response(
    status=202, body=b'{"data":{"message_id":"abc1"},"message":"OK","status":"success"}'
)
SENT_ID = "abc1"
_PERSON = {"email!": str, "name": str}
CALLS = [
    Call(
        url="https://emailapi.netcorecloud.net/v5.1/mail/send",
        auth={"api_key": "netcore-key-01"},
        body={
            "from!": _PERSON,
            "reply_to": str,
            "subject!": str,
            "content!": [{"type!": ("html", "amp"), "value!": str}],
            "personalizations!": [
                {
                    "to!": [_PERSON],
                    "cc": [{"email!": str}],
                    "bcc": [{"email!": str}],
                    "attachments": [{"name!": str, "content!": str}],
                    "headers": {"*": str},
                    "attributes": {"*": str},
                    "token_to": str,
                }
            ],
            "tags": [str],
            "settings": {
                "open_track": bool,
                "click_track": bool,
                "unsubscribe_track": bool,
                "ip_pool": str,
            },
            "schedule": int,
        },
        answer=SENT,
        denied=Response(
            status=401,
            body=b'{"error":[{"message":"unauthorized","description":"Invalid API key"}],'
            b'"status":"error"}',
        ),
    )
]


def _error(field: str) -> Response:
    error = f'{{"message":"invalid","field":"{field}","description":"d"}}'
    return Response(status=400, body=f'{{"error":[{error}],"status":"error"}}'.encode())


REFUSALS = [
    (_error("personalizations[0].to[0].email"), "bad_recipient"),
    (_error("from.email"), "bad_credentials"),
    (_error("content"), "bad_request"),
    (Response(status=200, body=_error("subject").body), "bad_request"),
    (Response(status=401, body=b'{"error":"Invalid API key","status":"error"}'), "bad_credentials"),
]
WEBHOOKS = [
    (
        Webhook(
            url="https://tidings.example/in",
            query={"token": "netcore-token"},
            body=b'[{"EVENT":"bounced","TRANSID":"abc1","TIMESTAMP":1767225600,'
            b'"EMAIL":"ada@example.com","RESPONSE":"550"},{"EVENT":"open","TRANSID":"abc1"}]',
            at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
        "netcore-token",
        [
            Event(
                message_id="abc1",
                happened="bounced",
                at=datetime(2026, 1, 1, tzinfo=UTC),
                target="ada@example.com",
                reason="550",
            ),
            Event(message_id="abc1", happened="opened"),
        ],
    )
]


def test_text_alone_is_wrapped_and_not_lost() -> None:
    message = EmailMessage(id="m", to=("a@example.com",), subject="s", text="1 < 2\n3")
    request = Netcore().build_request(message, Credentials(region="EU"))
    assert request.url == "https://apieu.netcorecloud.net/v5.1/mail/send"
    assert isinstance(request.body, Json)
    [content] = request.body.value["content"]
    assert "1 &lt; 2\n3" in content["value"]
    assert Netcore().dropped(message) == ()
