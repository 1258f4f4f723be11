"""The inbox on behalf of a subscriber; the rules themselves are tested in tests/inbox."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests import seeds
from tests.conftest import OTHER_KEY
from tidings.domain.scope import Scope
from tidings.storage.database import Database

NOTES = "/v2/subscribers/ada/notifications"
ELSEWHERE = {"Authorization": f"ApiKey {OTHER_KEY}"}
BUTTONS = {"action": {"status": "pending", "buttons": [{"type": "primary", "content": "Go"}]}}


@pytest.fixture
async def message(client: httpx.AsyncClient, database: Database, scope: Scope) -> str:
    owner = (await client.post("/v2/subscribers", json={"subscriberId": "ada"})).json()["_id"]
    return await seeds.add_message(database, scope, owner, cta=BUTTONS, tags=["a"])


async def test_list_and_count(client: httpx.AsyncClient, message: str) -> None:
    answer = (await client.get(NOTES, params={"read": "false", "tags": "a"})).json()
    assert [each["id"] for each in answer["data"]] == [message]
    assert (answer["hasMore"], answer["filter"]) == (False, {"read": False, "tags": ["a"]})
    counts = await client.get(f"{NOTES}/count", params={"filters": '[{"tags": ["a"]}]'})
    assert counts.json() == [{"count": 1, "filter": {"tags": ["a"]}}]


async def test_every_change_of_one(client: httpx.AsyncClient, message: str) -> None:
    async def flags(path: str, body: Any = None) -> tuple[bool, ...]:
        answer = await client.patch(f"{NOTES}/{message}/{path}", json=body)
        assert answer.status_code == 200, answer.text
        shown = answer.json()
        done = shown["primaryAction"]["isCompleted"]
        return shown["isRead"], shown["isArchived"], shown["isSnoozed"], done

    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert await flags("read") == (True, False, False, False)
    assert await flags("unread") == (False, False, False, False)
    assert await flags("archive") == (True, True, False, False)
    assert await flags("unarchive") == (True, False, False, False)
    assert await flags("snooze", {"snoozeUntil": until}) == (True, False, True, False)
    assert await flags("unsnooze") == (True, False, False, False)
    assert await flags("actions/primary/complete") == (True, False, False, True)
    assert await flags("actions/primary/revert") == (True, False, False, False)
    wrong = await client.patch(f"{NOTES}/{message}/actions/third/complete")
    assert wrong.status_code == 422
    assert (await client.delete(f"{NOTES}/{message}")).status_code == 204
    assert (await client.delete(f"{NOTES}/{message}")).status_code == 404


@pytest.mark.parametrize(
    ("what", "left"),
    [
        ("seen", {"seen": True, "read": False}),
        ("read", {"read": True, "archived": False}),
        ("archive", {"archived": True}),
    ],
)
async def test_changes_of_all(
    client: httpx.AsyncClient, message: str, what: str, left: dict[str, bool]
) -> None:
    assert (await client.post(f"{NOTES}/{what}", json={"tags": ["b"]})).status_code == 204
    params = {name: str(value).lower() for name, value in left.items()}
    assert (await client.get(NOTES, params=params)).json()["data"] == []
    assert (await client.post(f"{NOTES}/{what}", json={})).status_code == 204
    assert len((await client.get(NOTES, params=params)).json()["data"]) == 1


async def test_read_archive_and_delete(client: httpx.AsyncClient, message: str) -> None:
    await client.post(f"{NOTES}/read-archive", json={})
    assert (await client.get(NOTES, params={"archived": "true"})).json()["data"] == []
    await client.post(f"{NOTES}/read", json={})
    await client.post(f"{NOTES}/read-archive", json={})
    assert len((await client.get(NOTES, params={"archived": "true"})).json()["data"]) == 1
    await client.post(f"{NOTES}/delete", json={})
    assert (await client.get(NOTES)).json()["data"] == []


async def test_an_unknown_subscriber_or_another_ones_message_is_not_found(
    client: httpx.AsyncClient, message: str
) -> None:
    await client.post("/v2/subscribers", json={"subscriberId": "bob"})
    for owner in ("bob", "nobody"):
        path = f"/v2/subscribers/{owner}/notifications/{message}"
        assert (await client.patch(f"{path}/read")).status_code == 404
        assert (await client.delete(path)).status_code == 404
    for path in (NOTES, f"{NOTES}/count"):
        assert (await client.get(path, headers=ELSEWHERE)).status_code == 404
    elsewhere = await client.patch(f"{NOTES}/{message}/read", headers=ELSEWHERE)
    assert elsewhere.status_code == 404


async def test_a_repeated_key_changes_nothing_twice(
    client: httpx.AsyncClient, message: str
) -> None:
    headers = {"idempotency-key": "k1"}
    first = await client.patch(f"{NOTES}/{message}/read", headers=headers)
    await client.patch(f"{NOTES}/{message}/unread")
    again = await client.patch(f"{NOTES}/{message}/read", headers=headers)
    assert again.json() == first.json()
    assert again.headers["idempotency-replay"] == "true"
    assert not (await client.get(NOTES)).json()["data"][0]["isRead"]
