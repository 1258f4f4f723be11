import httpx
import msgspec
import pytest

from tests.conftest import caller_of
from tests.doors import open_doors
from tests.inbox.conftest import Visit
from tidings.api.door import Parts

TOPIC = "/v1/inbox/topics/project-7/subscriptions"


@pytest.fixture
async def ada(visit: Visit) -> httpx.AsyncClient:
    return await visit("ada")


async def test_joining_and_leaving_a_topic(
    ada: httpx.AsyncClient, client: httpx.AsyncClient
) -> None:
    assert (await ada.get(TOPIC)).json() == {"data": []}
    assert (await ada.get(f"{TOPIC}/updates")).status_code == 204
    answer = await ada.post(TOPIC, json={"identifier": "updates", "name": "Updates"})
    assert answer.status_code == 201
    made = answer.json()["data"]
    assert (made["identifier"], made["topicKey"]) == ("updates", "project-7")
    assert (await ada.get(TOPIC)).json() == {"data": [made]}
    assert (await ada.get(f"{TOPIC}/updates")).json() == {"data": made}
    assert (await ada.patch(f"{TOPIC}/updates", json={"name": "x"})).json() == {"data": made}
    known = (await client.get("/v2/topics/project-7/subscriptions")).json()["data"]
    assert [each["subscriber"]["subscriberId"] for each in known] == ["ada"]
    assert (await ada.delete(f"{TOPIC}/updates")).status_code == 204
    assert (await ada.delete(f"{TOPIC}/updates")).status_code == 404


async def test_subscribers_may_use_the_same_name(ada: httpx.AsyncClient, visit: Visit) -> None:
    bob = await visit("bob")
    for each in (ada, bob):
        answer = await each.post(TOPIC, json={"identifier": "updates"})
        assert answer.json()["data"]["identifier"] == "updates"
    await bob.delete(f"{TOPIC}/updates")
    assert len((await ada.get(TOPIC)).json()["data"]) == 1


async def test_without_a_name_the_usual_one_is_given(ada: httpx.AsyncClient) -> None:
    made = (await ada.post(TOPIC, json={"identifier": ""})).json()["data"]
    assert made["identifier"] == "tk=project-7:si=ada"
    assert (await ada.delete(f"{TOPIC}/{made['identifier']}")).status_code == 204


@pytest.mark.parametrize(
    "preferences", [[{"workflowId": "x", "enabled": False}], [{"condition": {"==": [1, 1]}}]]
)
async def test_what_a_subscription_cannot_do_is_said(
    ada: httpx.AsyncClient, preferences: list[object]
) -> None:
    answer = await ada.post(TOPIC, json={"preferences": preferences})
    assert answer.status_code == 400
    assert "/v1/inbox/preferences/" in answer.json()["message"]
    one = await ada.patch("/v1/inbox/subscriptions/updates/preferences/x", json={"enabled": True})
    assert one.status_code == 400


async def test_in_production_the_operator_names_the_open_topics(
    parts: Parts, ada: httpx.AsyncClient
) -> None:
    settings = msgspec.structs.replace(
        parts.settings, mode="production", inbox_topics=("project-*",)
    )
    door = open_doors(msgspec.structs.replace(parts, settings=settings))
    async with caller_of(door, key=None) as browser:
        browser.headers["Authorization"] = ada.headers["Authorization"]
        assert (await browser.post(TOPIC, json={})).status_code == 201
        refused = await browser.post("/v1/inbox/topics/admins/subscriptions", json={})
    assert refused.status_code == 403
    assert "TIDINGS_INBOX_TOPICS" in refused.json()["message"]
