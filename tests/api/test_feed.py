import base64
from typing import Any

import httpx
import pytest

from tests import seeds
from tidings.domain.scope import Scope
from tidings.storage.database import Database

ADA = "/v1/subscribers/ada"
BUTTONS = {"action": {"status": "pending", "buttons": [{"type": "primary", "content": "Go"}]}}


@pytest.fixture
async def messages(client: httpx.AsyncClient, database: Database, scope: Scope) -> list[str]:
    """Three, oldest first."""
    owner = (await client.post("/v2/subscribers", json={"subscriberId": "ada"})).json()["_id"]
    return [
        await seeds.add_message(database, scope, owner, body=str(number), cta=BUTTONS)
        for number in range(3)
    ]


async def test_the_feed_pages_by_number(client: httpx.AsyncClient, messages: list[str]) -> None:
    first = (await client.get(f"{ADA}/notifications/feed", params={"limit": "2.0"})).json()
    assert [each["content"] for each in first["data"]] == ["2", "1"]
    assert (first["hasMore"], first["totalCount"], first["page"]) == (True, 3, 0)
    item = first["data"][0]
    assert (item["_id"], item["channel"], item["archived"]) == (messages[2], "in_app", False)
    assert item["subscriber"]["subscriberId"] == "ada"
    rest = (await client.get(f"{ADA}/notifications/feed", params={"limit": 2, "page": 1})).json()
    assert ([each["content"] for each in rest["data"]], rest["hasMore"]) == (["0"], False)


async def test_the_feed_is_filtered_by_payload(
    client: httpx.AsyncClient, messages: list[str], database: Database, scope: Scope
) -> None:
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO events (id, organization_id, environment_id, transaction_id, workflow_id, "
            "workflow_version, recipients, payload, overrides, status, created_at) "
            "SELECT event_id, organization_id, environment_id, transaction_id, workflow_id, 1, "
            "'{}', '{\"order\": 7}', '{}', 'done', now() FROM messages WHERE id = $1",
            messages[1],
        )
    query = {"payload": base64.b64encode(b'{"order": 7}').decode()}
    (found,) = (await client.get(f"{ADA}/notifications/feed", params=query)).json()["data"]
    assert (found["_id"], found["payload"]) == (messages[1], {"order": 7})
    wrong = await client.get(f"{ADA}/notifications/feed", params={"payload": "%%"})
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("mark-as", {"markAs": "seen"}),
        ("markAs", {"mark": {"seen": True}}),
        ("markAs", {"markAs": "read"}),
    ],
)
async def test_marks(
    client: httpx.AsyncClient, messages: list[str], path: str, body: dict[str, Any]
) -> None:
    ids = [messages[0], "0" * 24]
    answer = await client.post(f"{ADA}/messages/{path}", json={"messageId": ids, **body})
    assert answer.status_code == 201
    assert [(each["_id"], each["seen"]) for each in answer.json()] == [(messages[0], True)]
    unseen = await client.get(f"{ADA}/notifications/unseen")
    assert unseen.json() == {"count": 2}
    seen = await client.get(f"{ADA}/notifications/unseen", params={"seen": "true"})
    assert seen.json() == {"count": 1}


async def test_a_mark_must_be_said(client: httpx.AsyncClient, messages: list[str]) -> None:
    answer = await client.post(f"{ADA}/messages/mark-as", json={"messageId": messages[0]})
    assert answer.status_code == 422


async def test_all_are_marked_at_once(client: httpx.AsyncClient, messages: list[str]) -> None:
    one = {"messageId": messages[0], "markAs": "read"}
    await client.post(f"{ADA}/messages/mark-as", json=one)
    answer = await client.post(f"{ADA}/messages/mark-all", json={"markAs": "read"})
    assert (answer.status_code, answer.json()) == (201, 2)


async def test_an_action_is_done_and_taken_back(
    client: httpx.AsyncClient, messages: list[str]
) -> None:
    path = f"{ADA}/messages/{messages[0]}/actions/primary"
    body = {"status": "done", "payload": {"by": "phone"}}
    done = (await client.post(path, json=body)).json()
    assert done["cta"]["action"]["status"] == "done"
    assert done["cta"]["action"]["result"] == {"type": "primary", "payload": {"by": "phone"}}
    assert done["read"] is True
    answer = await client.post(path, json={"status": "pending"})
    assert answer.status_code == 201
    assert answer.json()["cta"]["action"] == BUTTONS["action"]
