"""Channel credentials over HTTP, in the `svc` dialect."""

from typing import Any

import httpx
import pytest

from tests.seeds import add_integration
from tidings.domain.credentials import PROVIDER_IDS
from tidings.domain.scope import Scope
from tidings.storage.database import Database

PATH = "/v1/subscribers/u/credentials"


@pytest.fixture(autouse=True)
async def subscriber(client: httpx.AsyncClient) -> None:
    await client.post("/v2/subscribers", json={"subscriberId": "u"})


async def set_tokens(client: httpx.AsyncClient, *tokens: str, **more: Any) -> dict[str, Any]:
    body = {"providerId": "fcm", "credentials": {"deviceTokens": list(tokens)}, **more}
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("provider_id", PROVIDER_IDS)
async def test_every_provider_takes_credentials(
    client: httpx.AsyncClient, database: Database, scope: Scope, provider_id: str
) -> None:
    integration_id = await add_integration(database, scope, provider_id)
    body = {"providerId": provider_id, "credentials": {"webhookUrl": "https://x.example"}}
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 200
    assert answer.json()["channels"] == [
        {
            "providerId": provider_id,
            "credentials": {"webhookUrl": "https://x.example"},
            "_integrationId": integration_id,
        }
    ]
    assert answer.json()["__v"] == 1


async def test_both_words_are_understood(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_integration(database, scope, "svc-slack", channel="chat")
    body = {"providerId": "novu-slack", "credentials": {"channel": "c"}}
    answer = await client.patch(PATH, json=body)
    assert [each["providerId"] for each in answer.json()["channels"]] == ["svc-slack"]


async def test_tokens_are_replaced_and_absent_ones_kept(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_integration(database, scope, "fcm")
    await set_tokens(client, "a", "b")
    changed = await set_tokens(client, "c", "c")
    assert changed["channels"][0]["credentials"] == {"deviceTokens": ["c"]}
    body = {"providerId": "fcm", "credentials": {"title": "x", "unknown": "y"}}
    kept = (await client.patch(PATH, json=body)).json()
    assert kept["channels"][0]["credentials"] == {"deviceTokens": ["c"], "title": "x"}
    replaced = (await client.put(PATH, json={**body, "credentials": {"state": "s"}})).json()
    assert replaced["channels"][0]["credentials"] == {"state": "s"}


async def test_the_integration_is_the_one_named_or_the_newest_active_one(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    first = await add_integration(database, scope, "fcm", "fcm-one", active=False)
    await add_integration(database, scope, "fcm", "fcm-two")
    newest = await add_integration(database, scope, "fcm", "fcm-three")
    await add_integration(database, scope, "fcm", "fcm-four", active=False)
    plain = await set_tokens(client, "a")
    assert [each["_integrationId"] for each in plain["channels"]] == [newest]
    named = await set_tokens(client, "b", integrationIdentifier="fcm-one")
    assert named["channels"][1]["_integrationId"] == first
    assert named["channels"][1]["integrationIdentifier"] == "fcm-one"
    assert len(named["channels"]) == 2


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
async def test_without_a_fitting_integration_it_is_refused(
    client: httpx.AsyncClient, database: Database, scope: Scope, method: str
) -> None:
    await add_integration(database, scope, "fcm", "off", active=False)
    await add_integration(database, scope, "apns", "apns-one")
    body = {"providerId": "fcm", "credentials": {}}
    assert (await client.request(method, PATH, json=body)).status_code == 400
    wrong = await client.request(method, PATH, json={**body, "integrationIdentifier": "apns-one"})
    assert wrong.status_code == 400
    assert wrong.json()["integrationIdentifier"] == "apns-one"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"providerId": "sendgrid", "credentials": {}}, "providerId"),
        ({"providerId": "appio", "credentials": {}}, "providerId"),
        ({"providerId": "fcm"}, "credentials"),
        ({"providerId": "fcm", "credentials": {"title": 1}}, "credentials.title"),
        (
            {"providerId": "fcm", "credentials": {"deviceTokens": [str(n) for n in range(101)]}},
            "credentials.deviceTokens",
        ),
    ],
)
async def test_wrong_bodies_are_refused(
    client: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    body: dict[str, Any],
    field: str,
) -> None:
    await add_integration(database, scope, "fcm")
    answer = await client.patch(PATH, json=body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_removing(client: httpx.AsyncClient, database: Database, scope: Scope) -> None:
    await add_integration(database, scope, "fcm")
    await set_tokens(client, "a")
    for _ in range(2):
        answer = await client.delete(f"{PATH}/fcm")
        assert (answer.status_code, answer.content) == (204, b"")
    assert (await client.get("/v2/subscribers/u")).json()["channels"] == []
    assert (await client.delete(f"{PATH}/sendgrid")).status_code == 404
