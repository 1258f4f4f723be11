"""Generic SMS: the caller's own gateway."""

from datetime import UTC, datetime
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.delivery import send
from tidings.providers.exchange import Json, Request, Response
from tidings.providers.fake import fake_network
from tidings.providers.messages import SmsMessage
from tidings.providers.sms.generic_sms import GenericSms

CREDENTIALS = {
    "baseUrl": "https://sms.example/send",
    "apiKeyRequestHeader": "X-Api-Key",
    "apiKey": "api-key-0000001",
    "from": "Tidings",
    "idPath": "data.id",
    "datePath": "data.at",
}
SENT = Response(status=200, body=b'{"data":{"id":"s1","at":"2026-01-02T00:00:00Z"}}')
SENT_ID = "s1"
BY_TOKEN: dict[str, Any] = {
    **CREDENTIALS,
    "authenticateByToken": True,
    "domain": "https://sms.example/token",
    "authenticationTokenKey": "accessToken",
}
MESSAGE = SmsMessage(id="m1", to="+15005550006", content="Hi", custom_data={"tag": "x"})
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_both_keys_as_headers() -> None:
    credentials = Credentials(
        base_url="https://sms.example/send",
        api_key_request_header="X-Api-Key",
        api_key="k",
        secret_key_request_header="X-Secret",
        secret_key="s",
        from_="Tidings",
    )
    assert GenericSms().build_request(MESSAGE, credentials) == Request(
        url="https://sms.example/send",
        headers={"X-Api-Key": "k", "X-Secret": "s"},
        body=Json(
            {
                "tag": "x",
                "to": "+15005550006",
                "content": "Hi",
                "from": "Tidings",
                "id": "m1",
                "sender": "Tidings",
            }
        ),
    )


async def test_reads_id_and_date_where_told() -> None:
    network, _, _ = fake_network([SENT])
    result = await send(GenericSms(), CREDENTIALS, MESSAGE, network, NOW)
    assert (result.id, result.date) == ("s1", datetime(2026, 1, 2, tzinfo=UTC))


async def test_a_token_is_got_first_and_sent_alone() -> None:
    token = Response(status=200, body=b'{"data":{"accessToken":"t1"}}')
    network, http, _ = fake_network([token, SENT])
    result = await send(GenericSms(), BY_TOKEN, MESSAGE, network, NOW)
    assert result.outcome == "sent"
    asked, sent = http.requests
    assert (asked.url, asked.headers, asked.body) == (
        "https://sms.example/token",
        {"X-Api-Key": "api-key-0000001"},
        b"",
    )
    assert sent.headers["accessToken"] == "t1"
    assert "X-Api-Key" not in sent.headers


async def test_a_refused_token_is_got_anew() -> None:
    token = Response(status=200, body=b'{"data":{"accessToken":"t1"}}')
    network, http, _ = fake_network([token, Response(status=401), token, SENT])
    assert (await send(GenericSms(), BY_TOKEN, MESSAGE, network, NOW)).outcome == "sent"
    assert len(http.requests) == 4


async def test_a_token_answer_without_token_is_a_matter_of_credentials() -> None:
    network, http, _ = fake_network([Response(status=200, body=b"{}")])
    result = await send(GenericSms(), BY_TOKEN, MESSAGE, network, NOW)
    assert result.outcome == "bad_credentials"
    assert "accessToken" in result.reason
    assert len(http.requests) == 1
