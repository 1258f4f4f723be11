"""POST, GET, PATCH and DELETE of subscribers over HTTP, in the `svc` dialect."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.seeds import add_integration, add_message, add_workflow
from tidings.domain.scope import Scope
from tidings.storage.database import Database

ADA = {
    "subscriberId": "ada",
    "firstName": "Ada",
    "lastName": "Lovelace",
    "email": "ada@example.com",
    "phone": "+441234",
    "avatar": "https://example.com/ada.png",
    "locale": "en_GB",
    "timezone": "Europe/London",
    "data": {"plan": "pro", "nested": {"n": [1, None]}},
}


async def create(client: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await client.post("/v2/subscribers", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_new_subscriber_has_every_field_that_was_given(
    client: httpx.AsyncClient, scope: Scope
) -> None:
    made = await create(client, **ADA)
    assert {name: made[name] for name in ADA} == ADA
    assert len(made["_id"]) == 24
    assert made["_organizationId"] == scope.organization_id
    assert made["_environmentId"] == scope.environment_id
    assert (made["deleted"], made["__v"], made["channels"]) == (False, 0, [])
    assert (made["isOnline"], made["lastOnlineAt"]) == (None, None)
    assert made["createdAt"] == made["updatedAt"]
    assert made["createdAt"].endswith("Z")
    assert (await client.get("/v2/subscribers/ada")).json() == made


async def test_what_was_not_given_is_left_out(client: httpx.AsyncClient) -> None:
    made = await create(client, subscriberId="  u1 ", unknown="key")
    assert made["subscriberId"] == "u1"
    for name in ("firstName", "email", "data", "timezone", "unknown"):
        assert name not in made


async def test_creating_again_writes_over_what_is_given_and_keeps_the_rest(
    client: httpx.AsyncClient,
) -> None:
    first = await create(client, **ADA)
    again = await create(
        client, subscriberId="ada", firstName="", lastName=None, phone="+1", data={"only": 1}
    )
    assert again == {
        **first,
        "phone": "+1",
        "data": {"only": 1},
        "__v": 1,
        "updatedAt": again["updatedAt"],
    }
    assert again["updatedAt"] >= first["updatedAt"]


async def test_fail_if_exists_refuses_and_shows_the_one_there_is(
    client: httpx.AsyncClient,
) -> None:
    made = await create(client, **ADA)
    refused = await client.post(
        "/v2/subscribers?failIfExists=true", json={"subscriberId": "ada", "firstName": "Eve"}
    )
    assert refused.status_code == 409
    body = refused.json()
    assert {name: body[name] for name in made} == made
    assert (body["statusCode"], body["error"]) == (409, "Conflict")
    assert "ada" in body["message"]
    assert (await client.get("/v2/subscribers/ada")).json() == made
    new = await client.post("/v2/subscribers?failIfExists=true", json={"subscriberId": "eve"})
    assert new.status_code == 201


async def test_two_creations_at_once_both_succeed(client: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(
        *(client.post("/v2/subscribers", json={"subscriberId": "u"}) for _ in range(2))
    )
    assert [answer.status_code for answer in answers] == [201, 201]
    assert len({answer.json()["_id"] for answer in answers}) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subscriberId", "   "),
        ("subscriberId", "x" * 256),
        ("subscriberId", "a\u0007"),
        ("subscriberId", 7),
        ("email", "nobody"),
        ("timezone", "Mars"),
        ("locale", "English"),
        ("firstName", 5),
        ("data", [1]),
        ("data", {"x": "y" * 66000}),
        ("lastName", "a\u0000b"),
    ],
)
async def test_a_wrong_value_is_named(client: httpx.AsyncClient, field: str, value: Any) -> None:
    answer = await client.post("/v2/subscribers", json={"subscriberId": "u", field: value})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]
    assert (await client.get("/v2/subscribers")).json()["totalCount"] == 0


async def test_subscriber_id_is_required(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v2/subscribers", json={"email": "ada@example.com"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"subscriberId": {"messages": ["is required"]}}


async def test_patch_sets_what_is_given_and_null_clears(client: httpx.AsyncClient) -> None:
    made = await create(client, **ADA)
    answer = await client.patch(
        "/v2/subscribers/ada", json={"firstName": None, "data": None, "phone": "+2"}
    )
    changed = answer.json()
    assert answer.status_code == 200
    assert "firstName" not in changed
    assert "data" not in changed
    assert (changed["phone"], changed["lastName"], changed["__v"]) == ("+2", "Lovelace", 1)
    assert changed["_id"] == made["_id"]
    assert (await client.patch("/v2/subscribers/ada", json={})).json() == changed
    wrong = await client.patch("/v2/subscribers/ada", json={"email": "x"})
    assert wrong.status_code == 422


async def test_removing_takes_everything_along_and_frees_the_id(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_workflow(database, scope, "welcome")
    made = await create(client, **ADA)
    await add_message(database, scope, made["_id"])
    await client.patch("/v2/subscribers/ada/preferences", json={"channels": {"email": False}})
    await client.post("/v2/topics/news/subscriptions", json={"subscriptions": ["ada"]})
    answer = await client.delete("/v2/subscribers/ada")
    assert answer.status_code == 200
    assert answer.json() == {"acknowledged": True, "status": "deleted"}
    assert (await client.get("/v2/subscribers/ada")).status_code == 404
    assert (await client.get("/v2/topics/news/subscriptions")).json()["data"] == []
    assert (await client.get("/v1/messages")).json()["data"] == []
    again = await create(client, subscriberId="ada")
    assert again["_id"] != made["_id"]
    preferences = (await client.get("/v2/subscribers/ada/preferences")).json()
    assert preferences["global"]["channels"]["email"] is True


async def test_search_filters_are_exact_and_add_up(client: httpx.AsyncClient) -> None:
    await create(client, **ADA)
    await create(client, subscriberId="ada2", firstName="Ada", email="other@example.com")
    await create(client, subscriberId="bob", lastName="Builder", phone="+441234")

    async def found(**query: str) -> list[str]:
        answer = await client.get("/v2/subscribers", params=query)
        assert answer.status_code == 200
        assert answer.json()["totalCount"] == len(answer.json()["data"])
        return [each["subscriberId"] for each in answer.json()["data"]]

    assert await found(email="ada@example.com") == ["ada"]
    assert await found(email="Ada@example.com") == []
    assert await found(name="Ada Lovelace") == ["ada"]
    assert await found(name="Ada") == ["ada2"]
    assert await found(name="Builder") == ["bob"]
    assert await found(phone="+441234") == ["bob", "ada"]
    assert await found(phone="441234") == []
    assert await found(subscriberId="bob") == ["bob"]
    assert await found(phone="+441234", name="Ada Lovelace") == ["ada"]
    assert await found(phone="+441234", email="other@example.com") == []
    assert await found(email="") == ["bob", "ada2", "ada"]


async def test_pages_by_cursor(client: httpx.AsyncClient) -> None:
    ids = [(await create(client, subscriberId=f"u{n}"))["_id"] for n in range(5)]
    first = (await client.get("/v2/subscribers", params={"limit": "2.0"})).json()
    assert [each["_id"] for each in first["data"]] == [ids[4], ids[3]]
    assert (first["next"], first["previous"]) == (ids[3], None)
    assert (first["totalCount"], first["totalCountCapped"]) == (5, False)
    query = {"limit": 2, "after": first["next"]}
    second = (await client.get("/v2/subscribers", params=query)).json()
    assert [each["_id"] for each in second["data"]] == [ids[2], ids[1]]
    assert (second["next"], second["previous"]) == (ids[1], ids[2])
    query = {"limit": 2, "before": ids[2], "includeCursor": "true"}
    back = (await client.get("/v2/subscribers", params=query)).json()
    assert [each["_id"] for each in back["data"]] == [ids[3], ids[2]]
    query = {"orderBy": "createdAt", "orderDirection": "ASC"}
    oldest = (await client.get("/v2/subscribers", params=query)).json()
    assert [each["_id"] for each in oldest["data"]] == ids
    await client.patch("/v2/subscribers/u0", json={"firstName": "x"})
    changed = (await client.get("/v2/subscribers", params={"orderBy": "updatedAt"})).json()
    assert changed["data"][0]["subscriberId"] == "u0"


async def test_an_unknown_cursor_gives_an_empty_page(client: httpx.AsyncClient) -> None:
    await create(client, subscriberId="u")
    for cursor in ("0" * 24, "nonsense"):
        page = (await client.get("/v2/subscribers", params={"after": cursor})).json()
        assert (page["data"], page["next"], page["previous"]) == ([], None, None)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=2.5", "limit"),
        ("limit=ten", "limit"),
        ("orderBy=email", "orderBy"),
        ("orderDirection=down", "orderDirection"),
        ("after=a&before=b", "before"),
        ("includeCursor=perhaps", "includeCursor"),
    ],
)
async def test_wrong_queries_are_refused(client: httpx.AsyncClient, query: str, field: str) -> None:
    answer = await client.get(f"/v2/subscribers?{query}")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [field]


async def test_many_at_once_each_with_its_own_result(client: httpx.AsyncClient) -> None:
    await create(client, subscriberId="old", firstName="O")
    answer = await client.post(
        "/v1/subscribers/bulk",
        json={
            "subscribers": [
                {"subscriberId": "new", "firstName": "N"},
                {"subscriberId": "old", "lastName": "L"},
                {"subscriberId": "bad", "email": "x"},
                {"subscriberId": "new", "lastName": "M"},
                {"firstName": "nobody"},
            ]
        },
    )
    assert answer.status_code == 201
    body = answer.json()
    assert body["created"] == [{"subscriberId": "new"}]
    assert body["updated"] == [{"subscriberId": "old"}, {"subscriberId": "new"}]
    assert [each["subscriberId"] for each in body["failed"]] == ["bad", ""]
    assert "e-mail" in body["failed"][0]["message"]
    new = (await client.get("/v2/subscribers/new")).json()
    assert (new["firstName"], new["lastName"]) == ("N", "M")
    old = (await client.get("/v2/subscribers/old")).json()
    assert (old["firstName"], old["lastName"]) == ("O", "L")


@pytest.mark.parametrize("count", [0, 501])
async def test_too_few_or_too_many_at_once(client: httpx.AsyncClient, count: int) -> None:
    many = [{"subscriberId": f"u{n}"} for n in range(count)]
    answer = await client.post("/v1/subscribers/bulk", json={"subscribers": many})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["subscribers"]


async def test_five_hundred_at_once(client: httpx.AsyncClient) -> None:
    many = [{"subscriberId": f"u{n}", "data": {"n": n}} for n in range(500)]
    answer = await client.post("/v1/subscribers/bulk", json={"subscribers": many})
    assert len(answer.json()["created"]) == 500
    assert (await client.get("/v2/subscribers")).json()["totalCount"] == 500


async def test_presence(client: httpx.AsyncClient) -> None:
    made = await create(client, subscriberId="u")
    path = "/v1/subscribers/u/online-status"
    online = (await client.patch(path, json={"isOnline": True})).json()
    assert (online["isOnline"], online["lastOnlineAt"]) == (True, None)
    offline = (await client.patch(path, json={"isOnline": False})).json()
    assert offline["isOnline"] is False
    assert offline["lastOnlineAt"] is not None
    assert offline["__v"] == made["__v"]


async def test_channels_are_part_of_every_answer(
    client: httpx.AsyncClient, database: Database, scope: Scope
) -> None:
    await add_integration(database, scope, "fcm")
    await create(client, subscriberId="u")
    body = {"providerId": "fcm", "credentials": {"deviceTokens": ["t"]}}
    await client.patch("/v1/subscribers/u/credentials", json=body)
    one = (await client.get("/v2/subscribers/u")).json()
    page = (await client.get("/v2/subscribers")).json()
    assert one["channels"][0]["credentials"] == {"deviceTokens": ["t"]}
    assert page["data"] == [one]


async def test_a_name_with_a_character_that_cannot_be_stored(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v2/subscribers/a%00b")).status_code == 404
    assert (await client.get("/v2/subscribers?email=a%00b")).status_code == 422
