"""Topics and their subscriptions over HTTP, in the `svc` dialect."""

from typing import Any

import httpx
import pytest

MEMBERS = "/v2/topics/news/subscriptions"


async def make(client: httpx.AsyncClient, *keys: str) -> None:
    for key in keys:
        await client.post("/v2/subscribers", json={"subscriberId": key, "firstName": key.title()})


async def add(client: httpx.AsyncClient, *who: Any) -> dict[str, Any]:
    answer = await client.post(MEMBERS, json={"subscriptions": list(who)})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def remove(client: httpx.AsyncClient, *who: Any) -> httpx.Response:
    return await client.request("DELETE", MEMBERS, json={"subscriptions": list(who)})


async def test_a_topic_is_made_renamed_and_removed(client: httpx.AsyncClient) -> None:
    made = await client.post("/v2/topics", json={"key": "news"})
    assert made.status_code == 201
    assert "name" not in made.json()
    named = (await client.post("/v2/topics", json={"key": "news", "name": "News"})).json()
    assert (named["_id"], named["name"]) == (made.json()["_id"], "News")
    same = (await client.post("/v2/topics", json={"key": "news"})).json()
    assert same == named == (await client.get("/v2/topics/news")).json()
    renamed = await client.patch("/v2/topics/news", json={"name": "Old news"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Old news")
    gone = await client.delete("/v2/topics/news")
    assert (gone.status_code, gone.json()) == (200, {"acknowledged": True})
    assert (await client.get("/v2/topics/news")).status_code == 404
    assert (await client.delete("/v2/topics/news")).status_code == 404
    assert (await client.patch("/v2/topics/news", json={"name": "x"})).status_code == 404


async def test_fail_if_exists(client: httpx.AsyncClient) -> None:
    path = "/v2/topics?failIfExists=true"
    assert (await client.post(path, json={"key": "news"})).status_code == 201
    refused = await client.post(path, json={"key": "news", "name": "x"})
    assert refused.status_code == 409
    assert refused.json()["key"] == "news"
    assert "name" not in (await client.get("/v2/topics/news")).json()


@pytest.mark.parametrize(
    ("body", "field"),
    [({"key": "a b"}, "key"), ({"key": ""}, "key"), ({}, "key"), ({"key": "k", "name": 1}, "name")],
)
async def test_wrong_topics(client: httpx.AsyncClient, body: dict[str, Any], field: str) -> None:
    answer = await client.post("/v2/topics", json=body)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]
    assert (await client.patch("/v2/topics/x", json={"name": " "})).status_code == 422


async def test_listing_topics(client: httpx.AsyncClient) -> None:
    for number in range(3):
        await client.post("/v2/topics", json={"key": f"t{number}", "name": f"T{number % 2}"})
    page = (await client.get("/v2/topics", params={"limit": 2})).json()
    assert [each["key"] for each in page["data"]] == ["t2", "t1"]
    assert page["totalCount"] == 3
    rest = (await client.get("/v2/topics", params={"after": page["next"]})).json()
    assert [each["key"] for each in rest["data"]] == ["t0"]
    assert (rest["next"], rest["previous"]) == (None, rest["data"][0]["_id"])
    named = (await client.get("/v2/topics", params={"name": "T0"})).json()
    assert [each["key"] for each in named["data"]] == ["t2", "t0"]
    keyed = (await client.get("/v2/topics", params={"key": "t1"})).json()
    assert [each["key"] for each in keyed["data"]] == ["t1"]


async def test_adding_makes_the_topic_and_reports_each(client: httpx.AsyncClient) -> None:
    await make(client, "ada", "bob")
    body = await add(client, "ada", "nobody", {"subscriberId": "bob", "identifier": "bobs"})
    assert body["meta"] == {"totalCount": 3, "successful": 2, "failed": 1}
    assert [each["code"] for each in body["errors"]] == ["SUBSCRIBER_NOT_FOUND"]
    assert body["errors"][0]["subscriberId"] == "nobody"
    ada, bob = body["data"]
    assert ada["subscriber"]["subscriberId"] == "ada"
    assert ada["subscriber"]["firstName"] == "Ada"
    assert ada["topic"]["key"] == "news"
    assert (ada["identifier"], bob["identifier"]) == ("tk=news:si=ada", "bobs")
    again = await add(client, "ada", "ada")
    assert again["data"] == [ada]
    assert again["meta"] == {"totalCount": 1, "successful": 1, "failed": 0}


async def test_older_clients_send_subscriber_ids(client: httpx.AsyncClient) -> None:
    await make(client, "ada")
    answer = await client.post(MEMBERS, json={"subscriberIds": ["ada"]})
    assert answer.status_code == 201
    assert answer.json()["meta"]["successful"] == 1


async def test_a_taken_identifier_is_an_error_of_its_own(client: httpx.AsyncClient) -> None:
    await make(client, "ada", "bob")
    await add(client, {"subscriberId": "ada", "identifier": "mine"})
    body = await add(client, {"subscriberId": "bob", "identifier": "mine"}, "ada")
    assert [each["code"] for each in body["errors"]] == ["IDENTIFIER_TAKEN"]


async def test_when_all_fail_nothing_is_made(client: httpx.AsyncClient) -> None:
    answer = await client.post(MEMBERS, json={"subscriptions": ["nobody"]})
    assert answer.status_code == 400
    assert answer.json()["ctx"]["meta"] == {"totalCount": 1, "successful": 0, "failed": 1}
    assert (await client.get("/v2/topics/news")).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"subscriptions": []},
        {"subscriptions": ["x"] * 101},
        {"subscriptions": [{"identifier": "x"}]},
        {"subscriptions": [7]},
    ],
)
async def test_wrong_subscriptions(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await client.post(MEMBERS, json=body)).status_code == 422


async def test_listing_members_and_memberships(client: httpx.AsyncClient) -> None:
    await make(client, "ada", "bob", "cyd")
    await add(client, "ada", "bob", "cyd")
    await client.post("/v2/topics/other/subscriptions", json={"subscriptions": ["ada"]})
    page = (await client.get(MEMBERS, params={"limit": 2})).json()
    assert [each["subscriber"]["subscriberId"] for each in page["data"]] == ["cyd", "bob"]
    assert page["totalCount"] == 3
    rest = (await client.get(MEMBERS, params={"after": page["next"]})).json()
    assert [each["subscriber"]["subscriberId"] for each in rest["data"]] == ["ada"]
    one = (await client.get(MEMBERS, params={"subscriberId": "bob"})).json()
    assert [each["subscriber"]["subscriberId"] for each in one["data"]] == ["bob"]
    assert (await client.get(MEMBERS, params={"subscriberId": "no"})).json()["data"] == []
    path = "/v2/subscribers/ada/subscriptions"
    mine = (await client.get(path)).json()
    assert [each["topic"]["key"] for each in mine["data"]] == ["other", "news"]
    ordered = (await client.get(path, params={"orderDirection": "ASC"})).json()
    assert [each["topic"]["key"] for each in ordered["data"]] == ["news", "other"]
    keyed = (await client.get(path, params={"key": "news"})).json()
    assert [each["topic"]["key"] for each in keyed["data"]] == ["news"]
    assert (await client.get(path, params={"key": "no"})).json()["totalCount"] == 0


async def test_taking_out_by_subscriber_or_identifier(client: httpx.AsyncClient) -> None:
    await make(client, "ada", "bob", "cyd")
    await add(client, "ada", "bob", {"subscriberId": "cyd", "identifier": "cyds"})
    answer = await remove(client, "ada", {"identifier": "cyds"}, "nobody")
    assert answer.status_code == 200
    assert answer.json()["meta"] == {"totalCount": 3, "successful": 2, "failed": 1}
    left = (await client.get(MEMBERS)).json()["data"]
    assert [each["subscriber"]["subscriberId"] for each in left] == ["bob"]
    assert (await remove(client, "ada")).status_code == 400
    await client.delete("/v2/topics/news")
    assert (await remove(client, "bob")).status_code == 404
    assert (await client.get("/v2/subscribers/bob")).status_code == 200


async def test_a_subscriber_names_its_topics(client: httpx.AsyncClient) -> None:
    """The deprecated field still works, in a single answer and in a listing."""
    await client.post("/v2/subscribers", json={"subscriberId": "ada"})
    assert (await client.get("/v2/subscribers/ada")).json()["topics"] == []
    await client.post(MEMBERS, json={"subscriptions": ["ada"]})
    assert (await client.get("/v2/subscribers/ada")).json()["topics"] == ["news"]
    assert (await client.get("/v2/subscribers")).json()["data"][0]["topics"] == ["news"]
    document = (await client.get("/openapi.json")).json()
    fields = document["components"]["schemas"]["SubscriberOut"]["properties"]
    assert fields["topics"]["deprecated"] is True
