"""What belongs to one environment does not exist for the key of another."""

from typing import Any

import httpx
import pytest

from tests.conftest import OTHER_KEY
from tests.seeds import add_integration, add_workflow
from tidings.domain.scope import Scope
from tidings.storage.database import Database

ELSEWHERE = {"Authorization": f"ApiKey {OTHER_KEY}"}
CREDENTIALS = {"providerId": "fcm", "credentials": {"deviceTokens": ["t"]}}
SUBSCRIPTIONS = {"subscriptions": ["ada"]}

OPERATIONS: list[tuple[str, str, Any]] = [
    ("PATCH", "/v1/subscribers/ada/credentials", CREDENTIALS),
    ("PUT", "/v1/subscribers/ada/credentials", CREDENTIALS),
    ("DELETE", "/v1/subscribers/ada/credentials/fcm", None),
    ("GET", "/v2/subscribers/ada", None),
    ("PATCH", "/v2/subscribers/ada", {"firstName": "Eve"}),
    ("DELETE", "/v2/subscribers/ada", None),
    ("PATCH", "/v1/subscribers/ada/online-status", {"isOnline": True}),
    ("GET", "/v2/subscribers/ada/preferences", None),
    ("PATCH", "/v2/subscribers/ada/preferences", {"channels": {"email": False}}),
    (
        "PATCH",
        "/v2/subscribers/ada/preferences/bulk",
        {"preferences": [{"workflowId": "welcome", "channels": {"email": False}}]},
    ),
    ("GET", "/v2/subscribers/ada/subscriptions", None),
    ("GET", "/v2/topics/news", None),
    ("PATCH", "/v2/topics/news", {"name": "x"}),
    ("DELETE", "/v2/topics/news", None),
    ("GET", "/v2/topics/news/subscriptions", None),
    ("DELETE", "/v2/topics/news/subscriptions", SUBSCRIPTIONS),
]


@pytest.fixture(autouse=True)
async def someone(client: httpx.AsyncClient, database: Database, scope: Scope) -> None:
    await add_integration(database, scope, "fcm")
    await add_workflow(database, scope, "welcome")
    await client.post("/v2/subscribers", json={"subscriberId": "ada", "email": "a@x.io"})
    await client.post("/v2/topics/news/subscriptions", json=SUBSCRIPTIONS)


async def everything(client: httpx.AsyncClient) -> list[Any]:
    paths = ("/v2/subscribers", "/v2/topics", "/v2/topics/news/subscriptions")
    pages = [(await client.get(path)).json() for path in paths]
    return [*pages, (await client.get("/v2/subscribers/ada/preferences")).json()]


@pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
async def test_an_object_of_another_environment_is_unknown(
    client: httpx.AsyncClient, method: str, path: str, body: Any
) -> None:
    before = await everything(client)
    answer = await client.request(method, path, json=body, headers=ELSEWHERE)
    assert answer.status_code == 404
    assert await everything(client) == before
    ours = await client.request(method, path, json=body)
    assert ours.status_code < 300


async def test_listings_show_only_ones_own(client: httpx.AsyncClient) -> None:
    for path in ("/v2/subscribers", "/v2/topics"):
        page = (await client.get(path, headers=ELSEWHERE)).json()
        assert (page["data"], page["totalCount"]) == ([], 0)
    (mine,) = (await client.get("/v2/subscribers")).json()["data"]
    query = {"after": mine["_id"], "includeCursor": "true"}
    page = (await client.get("/v2/subscribers", params=query, headers=ELSEWHERE)).json()
    assert page["data"] == []


async def test_the_same_names_are_free_elsewhere(client: httpx.AsyncClient) -> None:
    path = "/v2/subscribers?failIfExists=true"
    made = await client.post(path, json={"subscriberId": "ada"}, headers=ELSEWHERE)
    assert made.status_code == 201
    own = await client.get("/v2/subscribers/ada")
    assert made.json()["_id"] != own.json()["_id"]
    unknown = await client.patch(
        "/v2/subscribers/ada/preferences",
        json={"channels": {}, "workflowId": "welcome"},
        headers=ELSEWHERE,
    )
    assert unknown.status_code == 404
    refused = await client.patch(
        "/v1/subscribers/ada/credentials", json=CREDENTIALS, headers=ELSEWHERE
    )
    assert refused.status_code == 400
    nobody = await client.post(
        "/v2/topics/news/subscriptions", json={"subscriptions": ["bob"]}, headers=ELSEWHERE
    )
    assert nobody.status_code == 400
