"""App IO."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tidings.providers.delivery import send
from tidings.providers.exchange import Response
from tidings.providers.fake import fake_network
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import PushMessage
from tidings.providers.push.appio import AppIo

CREDENTIALS = {"apiKey": "io-service-key-1"}
BEFORE = [Response(status=200, body=b'{"sender_allowed":true,"preferred_languages":["it_IT"]}')]
SENT = Response(status=201, body=b'{"id":"01EM6X4JB9VSZTQ8H16KMQFCEJ"}')
SENT_ID = "01EM6X4JB9VSZTQ8H16KMQFCEJ"
_AUTH = {"ocp-apim-subscription-key": "io-service-key-1"}
_DENIED = Response(status=401, body=b'{"statusCode":401,"message":"Access denied"}')
CALLS = [
    Call(
        url="https://api.io.pagopa.it/api/v1/profiles",
        auth=_AUTH,
        body={"fiscal_code!": str},
        answer=BEFORE[0],
        denied=_DENIED,
    ),
    Call(
        url="https://api.io.pagopa.it/api/v1/messages",
        auth=_AUTH,
        body={
            "fiscal_code!": str,
            "content!": {"subject!": str, "markdown!": str, "due_date": str},
            "feature_level_type": str,
        },
        answer=SENT,
        denied=_DENIED,
    ),
]
REFUSALS = [
    (Response(status=403, body=b'{"title":"Not allowed","detail":"Forbidden"}'), "bad_credentials"),
    (Response(status=400, body=b'{"title":"Invalid","detail":"markdown is short"}'), "bad_request"),
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _message(**overrides: Any) -> PushMessage:
    return PushMessage(
        id="m", targets=("AAAAAA00A00A000A",), title="Hi", content="Hello", overrides=overrides
    )


@pytest.mark.parametrize(
    "profile",
    [
        Response(status=404, body=b'{"title":"Profile not found"}'),
        Response(status=200, body=b'{"sender_allowed":false}'),
    ],
)
async def test_who_does_not_want_it_is_left_alone(profile: Response) -> None:
    network, http, _ = fake_network([profile])
    result = await send(AppIo(), CREDENTIALS, _message(), network, NOW)
    assert result.outcome == "bad_recipient"
    assert len(http.requests) == 1


async def test_a_message_may_bring_its_own_key() -> None:
    network, http, _ = fake_network([BEFORE[0], SENT])
    message = _message(apiKey="own-key", content={"due_date": "2026-02-01T00:00:00Z"})
    assert (await send(AppIo(), {}, message, network, NOW)).outcome == "sent"
    assert {each.headers["Ocp-Apim-Subscription-Key"] for each in http.requests} == {"own-key"}
    assert b"due_date" in http.requests[1].body
    assert b"own-key" not in http.requests[1].body
    result = await send(AppIo(), {}, _message(), network, NOW)
    assert (result.outcome, "API key" in result.reason) == ("bad_credentials", True)
