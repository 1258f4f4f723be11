"""POST /v1/integrations/{id}/test: a message through the integration, and the verdict on it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from aiohttp import web

from tidings.providers.signing import hmac_hex
from tidings.storage.database import Database

KEY = "signing-key-of-the-webhook"


class Gateway:
    """Someone's webhook on this machine."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def take(self, request: web.Request) -> web.Response:
        self.received.append((dict(request.headers), await request.read()))
        self.reached.set()
        await self.go_on.wait()
        return web.json_response({"id": "their-id"}, status=self.status)


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    gateway = Gateway()
    app = web.Application()
    app.router.add_post("/", gateway.take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    gateway.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield gateway
    await runner.cleanup()


async def make(client: httpx.AsyncClient, url: str, **fields: Any) -> str:
    body = {
        "providerId": "email-webhook",
        "channel": "email",
        "credentials": {"webhookUrl": url, "secretKey": KEY, "from": "news@example.com"},
    }
    answer = await client.post("/v1/integrations", json={**body, **fields})
    assert answer.status_code == 201, answer.text
    return f"/v1/integrations/{answer.json()['_id']}/test"


async def test_sends_and_answers_the_verdict(client: httpx.AsyncClient, gateway: Gateway) -> None:
    path = await make(client, gateway.url)
    answer = await client.post(path, json={"to": "ada@example.com", "content": "Try"})
    assert answer.status_code == 200
    verdict = answer.json()
    assert (verdict["outcome"], verdict["messageId"]) == ("sent", "their-id")
    assert verdict["httpStatus"] == 200
    [(headers, body)] = gateway.received
    assert headers["X-Tidings-Signature"] == hmac_hex(KEY, body)
    assert b'"to":["ada@example.com"]' in body


async def test_an_email_without_addressee_goes_to_the_sender(
    client: httpx.AsyncClient, gateway: Gateway
) -> None:
    await client.post(await make(client, gateway.url), json={})
    assert b'"to":["news@example.com"]' in gateway.received[0][1]


async def test_a_failure_is_a_verdict_too(client: httpx.AsyncClient, gateway: Gateway) -> None:
    gateway.status = 401
    answer = await client.post(await make(client, gateway.url), json={})
    assert answer.status_code == 200
    assert answer.json()["outcome"] == "bad_credentials"
    assert KEY not in answer.text


async def test_private_addresses_are_refused(client: httpx.AsyncClient) -> None:
    path = await make(client, "http://169.254.169.254/latest/meta-data")
    verdict = (await client.post(path, json={})).json()
    assert verdict["outcome"] == "bad_request"
    assert "TIDINGS_OUTBOUND_ALLOW" in verdict["reason"]


async def test_an_incomplete_integration_says_what_it_lacks(client: httpx.AsyncClient) -> None:
    path = await make(client, "", credentials={"from": "a@b.c"})
    verdict = (await client.post(path, json={})).json()
    assert verdict["outcome"] == "bad_credentials"
    assert "Webhook URL" in verdict["reason"]


@pytest.mark.parametrize(
    ("provider_id", "field"),
    [("generic-sms", "to"), ("push-webhook", "deviceTokens"), ("chat-webhook", "webhookUrl")],
)
async def test_asks_for_whom_to_send_to(
    client: httpx.AsyncClient, provider_id: str, field: str
) -> None:
    path = await make(client, "", providerId=provider_id, channel=None, credentials={})
    answer = await client.post(path, json={})
    assert answer.status_code == 422
    assert field in answer.json()["errors"]


async def test_no_transaction_is_open_while_the_network_is(
    client: httpx.AsyncClient, gateway: Gateway, database: Database
) -> None:
    path = await make(client, gateway.url)
    gateway.go_on.clear()
    headers = {"Idempotency-Key": "try-once"}
    running = asyncio.create_task(client.post(path, json={}, headers=headers))
    await asyncio.wait_for(gateway.reached.wait(), 10)
    async with database.connection() as connection:
        open_ones = await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'"
        )
    meanwhile = await client.post(path, json={}, headers=headers)
    gateway.go_on.set()
    answer = await running
    assert open_ones == 0
    assert meanwhile.status_code == 409
    assert meanwhile.headers["retry-after"] == "1"
    replayed = await client.post(path, json={}, headers=headers)
    assert replayed.content == answer.content
    assert replayed.headers["idempotency-replay"] == "true"
    other = await client.post(path, json={"to": "b@example.com"}, headers=headers)
    assert other.status_code == 422
    assert len(gateway.received) == 1


async def test_a_refused_request_is_kept_under_its_key_as_well(client: httpx.AsyncClient) -> None:
    path = await make(client, "", providerId="generic-sms", channel=None, credentials={})
    headers = {"Idempotency-Key": "k"}
    first = await client.post(path, json={}, headers=headers)
    again = await client.post(path, json={}, headers=headers)
    assert (first.status_code, again.status_code) == (422, 422)
    assert again.headers["idempotency-replay"] == "true"
