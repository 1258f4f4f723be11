"""Braze."""

from datetime import UTC, datetime

from tidings.providers.delivery import Network, send
from tidings.providers.email.braze import Braze
from tidings.providers.exchange import Response
from tidings.providers.fake import FakeMail, fake_network
from tidings.providers.fake_vendor import Call, FakeVendor
from tidings.providers.messages import EmailMessage

CREDENTIALS = {
    "apiKey": "braze-key-0001",
    "baseUrl": "https://rest.iad-01.braze.com",
    "applicationId": "app-1",
    "from": "news@example.com",
    "senderName": "News",
}
BEFORE = [Response(status=201, body=b'{"users":[{"external_id":"u1"}],"message":"success"}')]
SENT = Response(status=201, body=b'{"dispatch_id":"d1","message":"success"}')
SENT_ID = "d1"
_AUTH = {"authorization": "Bearer braze-key-0001"}
CALLS = [
    Call(
        url="https://rest.iad-01.braze.com/users/export/ids",
        auth=_AUTH,
        body={"email_address!": str, "fields_to_export!": ["external_id"]},
        answer=BEFORE[0],
        denied=Response(status=401, body=b'{"message":"Invalid API key"}'),
    ),
    Call(
        url="https://rest.iad-01.braze.com/messages/send",
        auth=_AUTH,
        body={
            "broadcast!": False,
            "external_user_ids!": [str],
            "messages!": {
                "email!": {
                    "app_id!": "app-1",
                    "subject": str,
                    "from!": str,
                    "reply_to": str,
                    "bcc": str,
                    "body!": str,
                    "plaintext_body": str,
                    "headers": {"*": str},
                    "extras": {"*": str},
                    "should_inline_css": bool,
                    "attachments": [{"file_name!": str, "url!": str}],
                }
            },
        },
        answer=SENT,
        denied=Response(status=401, body=b'{"message":"Invalid API key"}'),
    ),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NOBODY = Response(status=201, body=b'{"users":[],"message":"success"}')
REFUSALS = [
    (Response(status=401, body=b'{"message":"Invalid API key"}'), "bad_credentials"),
    (Response(status=400, body=b'{"message":"\'from\' is invalid","errors":[]}'), "bad_request"),
    (Response(status=201, body=b'{"message":"odd"}'), "bad_request"),
]


async def test_who_is_unknown_to_braze_cannot_be_reached() -> None:
    network, http, _ = fake_network([_NOBODY])
    message = EmailMessage(id="m", to=("ada@example.com",), subject="s", text="t")
    result = await send(Braze(), CREDENTIALS, message, network, NOW)
    assert result.outcome == "bad_recipient"
    assert "ada@example.com" in result.reason
    assert len(http.requests) == 1


async def test_the_known_ones_are_reached_and_the_others_named() -> None:
    network, http, _ = fake_network([BEFORE[0], _NOBODY, SENT])
    message = EmailMessage(id="m", to=("a@example.com", "b@example.com"), subject="s", text="t")
    result = await send(Braze(), CREDENTIALS, message, network, NOW)
    assert result.outcome == "sent"
    assert [(v.target, v.outcome) for v in result.verdicts] == [
        ("a@example.com", "sent"),
        ("b@example.com", "bad_recipient"),
    ]
    assert b'"external_user_ids":["u1"]' in http.requests[-1].body


async def test_overrides_reach_the_send_only() -> None:
    fake = FakeVendor(*CALLS)
    message = EmailMessage(
        id="m",
        to=("a@example.com",),
        subject="s",
        text="t",
        overrides={"messages": {"email": {"bcc": "audit@example.com"}}},
    )
    result = await send(Braze(), CREDENTIALS, message, Network(fake, FakeMail()), NOW)
    assert fake.faults == []
    assert result.outcome == "sent"
    assert b"audit@example.com" not in fake.requests[0].body
    assert b"audit@example.com" in fake.requests[1].body
