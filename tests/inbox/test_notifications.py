from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import httpx
import msgspec
import pytest

from tests import seeds
from tests.inbox.conftest import Visit
from tidings.domain.scope import Scope
from tidings.storage import subscribers
from tidings.storage.database import Database

LIST = "/v1/inbox/notifications"
BUTTONS = {
    "type": "redirect",
    "data": {"url": "/orders/7", "target": "_blank"},
    "action": {
        "status": "pending",
        "buttons": [
            {
                "type": "primary",
                "content": "Track",
                "url": "https://shop.example",
                "target": "_top",
            },
            {"type": "secondary", "content": "Later"},
        ],
    },
}


class Inbox:
    """The inbox of one subscriber, and somebody who puts messages into it."""

    def __init__(
        self, browser: httpx.AsyncClient, database: Database, scope: Scope, id: str
    ) -> None:
        self.browser = browser
        self.subscriber_id = id
        self._database = database
        self._scope = scope

    async def put(self, **values: Any) -> str:
        return await seeds.add_message(self._database, self._scope, self.subscriber_id, **values)

    async def bodies(self, **query: Any) -> list[str]:
        answer = await self.browser.get(LIST, params=query)
        assert answer.status_code == 200, answer.text
        return [each["body"] for each in answer.json()["data"]]

    async def count(self, *filters: dict[str, Any]) -> list[int]:
        text = msgspec.json.encode(filters).decode()
        answer = await self.browser.get(f"{LIST}/count", params={"filters": text})
        assert answer.status_code == 200, answer.text
        data = answer.json()["data"]
        assert [each["filter"] for each in data] == list(filters)
        return [each["count"] for each in data]

    async def patch(self, id: str, what: str, body: Any = None) -> dict[str, Any]:
        answer = await self.browser.patch(f"{LIST}/{id}/{what}", json=body)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()["data"]
        return shown

    async def post(self, what: str, **body: Any) -> None:
        answer = await self.browser.post(f"{LIST}/{what}", json=body)
        assert answer.status_code == 204, answer.text


@pytest.fixture
async def inbox(visit: Visit, database: Database, scope: Scope) -> Inbox:
    browser = await visit("ada")
    async with database.connection() as connection:
        id = await subscribers.id_of(connection, scope, "ada")
    return Inbox(browser, database, scope, id)


async def test_an_empty_inbox(inbox: Inbox) -> None:
    answer = await inbox.browser.get(LIST)
    assert answer.json() == {"data": [], "hasMore": False, "filter": {}}
    assert await inbox.count({}) == [0]


async def test_a_notification_shows_everything_the_published_client_reads(
    inbox: Inbox, database: Database, scope: Scope
) -> None:
    workflow = await seeds.add_workflow(database, scope, "order", name="Orders")
    id = await inbox.put(
        workflow_id=workflow,
        body="Your order is on its way",
        subject="Order 7",
        avatar="https://shop.example/a.png",
        cta=BUTTONS,
        data={"order": 7},
        tags=["orders"],
        severity="high",
    )
    (shown,) = (await inbox.browser.get(LIST)).json()["data"]
    times = {name: shown.pop(name) for name in ("createdAt", "deliveredAt")}
    assert times["deliveredAt"] == [times["createdAt"]]
    assert shown == {
        "id": id,
        "transactionId": "t1",
        "subject": "Order 7",
        "body": "Your order is on its way",
        "to": {"id": inbox.subscriber_id, "subscriberId": "ada"},
        "isRead": False,
        "isSeen": False,
        "isArchived": False,
        "isSnoozed": False,
        "avatar": "https://shop.example/a.png",
        "primaryAction": {
            "label": "Track",
            "isCompleted": False,
            "redirect": {"url": "https://shop.example", "target": "_top"},
        },
        "secondaryAction": {"label": "Later", "isCompleted": False},
        "channelType": "in_app",
        "tags": ["orders"],
        "data": {"order": 7},
        "redirect": {"url": "/orders/7", "target": "_blank"},
        "workflow": {
            "id": workflow,
            "identifier": "order",
            "name": "Orders",
            "critical": False,
            "tags": [],
            "severity": "none",
        },
        "severity": "high",
    }


async def test_pages_follow_the_cursor_to_the_end(inbox: Inbox) -> None:
    now = datetime.now(UTC)
    for number in range(5):
        await inbox.put(body=str(number), created_at=now + timedelta(seconds=number))
    first = (await inbox.browser.get(LIST, params={"limit": "2.0"})).json()
    assert ([each["body"] for each in first["data"]], first["hasMore"]) == (["4", "3"], True)
    assert await inbox.bodies(limit=2, after=first["data"][-1]["id"]) == ["2", "1"]
    assert await inbox.bodies(limit=2, offset=4) == ["0"]
    assert await inbox.bodies(after="0" * 24) == []
    refused = await inbox.browser.get(LIST, params={"limit": 101})
    assert refused.status_code == 422


FILTERS: list[tuple[list[tuple[str, str]], dict[str, Any], set[str]]] = [
    ([], {}, {"new", "seen", "read", "archived"}),
    ([("read", "false")], {"read": False}, {"new", "seen"}),
    ([("read", "true")], {"read": True}, {"read", "archived"}),
    ([("seen", "false")], {"seen": False}, {"new"}),
    ([("archived", "true")], {"archived": True}, {"archived"}),
    ([("archived", "false")], {"archived": False}, {"new", "seen", "read"}),
    ([("snoozed", "true")], {"snoozed": True}, {"snoozed"}),
    ([("tags[]", "a"), ("tags[]", "b")], {"tags": ["a", "b"]}, {"new", "seen"}),
    ([("tags", "a")], {"tags": {"or": ["a"]}}, {"new"}),
    (
        [("tags[0][]", "a"), ("tags[0][]", "b"), ("tags[1][]", "c")],
        {"tags": {"and": [{"or": ["a", "b"]}, {"or": ["c"]}]}},
        {"seen"},
    ),
    ([("severity[]", "high"), ("severity[]", "low")], {"severity": ["high", "low"]}, {"read"}),
    ([("severity", "high")], {"severity": "high"}, {"read"}),
    ([("data", '{"kind": "x"}')], {"data": {"kind": "x"}}, {"new", "read"}),
    ([("data", '{"kind": ["x", "y"]}')], {"data": '{"kind": ["x", "y"]}'}, {"new", "seen", "read"}),
    ([("data", '{"kind": "x", "n": 1}')], {"data": {"kind": "x", "n": 1}}, {"new"}),
    ([("createdGte", "2000")], {"createdGte": 2000}, {"seen", "read", "archived"}),
    (
        [("createdGte", "2000.0"), ("createdLte", "3000.0")],
        {"createdGte": 2000, "createdLte": 3000},
        {"seen", "read"},
    ),
]


@pytest.mark.parametrize(("query", "filter", "expected"), FILTERS)
async def test_list_and_count_obey_the_same_filters(
    inbox: Inbox, query: list[tuple[str, str]], filter: dict[str, Any], expected: set[str]
) -> None:
    def at(seconds: int) -> datetime:
        return datetime.fromtimestamp(seconds, UTC)

    await inbox.put(body="new", tags=["a"], data={"kind": "x", "n": 1}, created_at=at(1))
    await inbox.put(body="seen", seen=True, tags=["b", "c"], data={"kind": "y"}, created_at=at(2))
    await inbox.put(
        body="read", seen=True, read=True, severity="high", data={"kind": "x"}, created_at=at(3)
    )
    await inbox.put(body="archived", seen=True, read=True, archived=True, created_at=at(4))
    await inbox.put(body="snoozed", snoozed_until=at(4_000_000_000), created_at=at(5))
    answer = await inbox.browser.get(LIST, params=urlencode(query))
    assert answer.status_code == 200, answer.text
    assert {each["body"] for each in answer.json()["data"]} == expected
    assert await inbox.count(filter) == [len(expected)]


async def test_counts_come_in_the_order_of_the_filters_and_stop_at_a_hundred(inbox: Inbox) -> None:
    for number in range(103):
        await inbox.put(severity="low" if number else "high")
    low, high = {"severity": "low", "read": False}, {"severity": "high", "read": False}
    assert await inbox.count(low, high, {"read": True}, {}) == [100, 1, 0, 100]


@pytest.mark.parametrize(
    ("path", "params", "status"),
    [
        (LIST, {"archived": "true", "read": "false"}, 400),
        (LIST, {"data": "[1]"}, 422),
        (LIST, {"severity": "urgent"}, 422),
        (LIST, {"createdGte": "1e300"}, 422),
        (f"{LIST}/count", {"filters": "{"}, 422),
        (f"{LIST}/count", {"filters": "[1]"}, 422),
        (f"{LIST}/count", {"filters": "[]"}, 422),
        (f"{LIST}/count", {"filters": '[{"read": false, "archived": true}]'}, 400),
    ],
)
async def test_nonsense_is_refused(
    inbox: Inbox, path: str, params: dict[str, str], status: int
) -> None:
    assert (await inbox.browser.get(path, params=params)).status_code == status


FLAGS = ("isSeen", "isRead", "isArchived")


@pytest.mark.parametrize(
    ("steps", "flags"),
    [
        (["read"], (True, True, False)),
        (["read", "unread"], (True, False, False)),
        (["archive"], (True, True, True)),
        (["archive", "unarchive"], (True, True, False)),
        (["archive", "unread"], (True, False, False)),
        (["archive", "read"], (True, True, True)),
    ],
)
async def test_marks(inbox: Inbox, steps: list[str], flags: tuple[bool, ...]) -> None:
    id = await inbox.put()
    for step in steps:
        shown = await inbox.patch(id, step)
    assert tuple(shown[name] for name in FLAGS) == flags
    assert ("readAt" in shown, "archivedAt" in shown) == flags[1:]
    assert "firstSeenAt" in shown


async def test_marking_twice_keeps_the_first_date(inbox: Inbox) -> None:
    id = await inbox.put()
    first = await inbox.patch(id, "read")
    assert await inbox.patch(id, "read") == first


async def test_seen_touches_only_the_ids_given(inbox: Inbox) -> None:
    one, _ = await inbox.put(), await inbox.put()
    await inbox.post("seen", notificationIds=[one, "0" * 24])
    assert await inbox.count({"seen": True}, {"seen": False}) == [1, 1]
    await inbox.post("seen")
    assert await inbox.count({"seen": True}) == [2]


async def test_many_at_once_leaves_alone_what_is_snoozed_or_does_not_match(inbox: Inbox) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    await inbox.put(body="a", tags=["a"])
    await inbox.put(body="b", tags=["b"], data={"n": 1})
    await inbox.put(body="late", tags=["a"], snoozed_until=until)
    await inbox.post("read", tags=["a"])
    assert await inbox.bodies(read="true") == ["a"]
    await inbox.post("read-archive")
    assert await inbox.bodies(archived="true") == ["a"]
    await inbox.post("archive", data='{"n": 1}')
    assert await inbox.bodies(archived="true") == ["b", "a"]
    await inbox.post("delete", tags={"or": ["b"]})
    assert await inbox.bodies() == ["a"]
    await inbox.post("delete")
    assert await inbox.bodies() == []
    assert await inbox.bodies(snoozed="true") == ["late"]


async def test_one_is_deleted(inbox: Inbox) -> None:
    one, other = await inbox.put(), await inbox.put()
    assert (await inbox.browser.delete(f"{LIST}/{one}/delete")).status_code == 204
    assert (await inbox.browser.delete(f"{LIST}/{one}/delete")).status_code == 404
    assert (await inbox.browser.delete(f"{LIST}/{other}")).status_code == 204


async def test_snoozing_hides_and_waking_restores(inbox: Inbox) -> None:
    id = await inbox.put()
    before = await inbox.patch(id, "read")
    until = datetime.now(UTC) + timedelta(hours=1)
    shown = await inbox.patch(id, "snooze", {"snoozeUntil": until.isoformat()})
    assert shown["isSnoozed"]
    assert shown["snoozedUntil"].startswith(f"{until:%Y-%m-%dT%H:%M:%S}")
    assert await inbox.bodies() == []
    assert await inbox.bodies(snoozed="true") == ["Hello"]
    refused = await inbox.browser.patch(f"{LIST}/{id}/unread")
    assert (refused.status_code, "unsnooze it first" in refused.text) == (400, True)
    assert await inbox.patch(id, "unsnooze") == before
    assert (await inbox.browser.patch(f"{LIST}/{id}/unsnooze")).status_code == 404


@pytest.mark.parametrize(
    "until",
    [
        lambda now: (now - timedelta(seconds=1)).isoformat(),
        lambda now: (now + timedelta(days=91)).isoformat(),
        lambda now: now.replace(tzinfo=None).isoformat(),
        lambda now: "tomorrow",
    ],
)
async def test_a_snooze_ends_within_ninety_days(
    inbox: Inbox, until: Callable[[datetime], str]
) -> None:
    id = await inbox.put()
    body = {"snoozeUntil": until(datetime.now(UTC))}
    answer = await inbox.browser.patch(f"{LIST}/{id}/snooze", json=body)
    assert answer.status_code == 422
    assert "snoozeUntil" in answer.json()["errors"]


async def test_actions_are_completed_and_reverted(inbox: Inbox) -> None:
    id = await inbox.put(cta=BUTTONS)
    shown = await inbox.patch(id, "complete", {"actionType": "primary"})
    assert shown["primaryAction"]["isCompleted"]
    assert not shown["secondaryAction"]["isCompleted"]
    assert (shown["isSeen"], shown["isRead"]) == (True, True)
    shown = await inbox.patch(id, "complete", {"actionType": "secondary"})
    assert not shown["primaryAction"]["isCompleted"]
    assert shown["secondaryAction"]["isCompleted"]
    shown = await inbox.patch(id, "revert", {"actionType": "secondary"})
    assert not shown["secondaryAction"]["isCompleted"]
    assert shown["redirect"] == {"url": "/orders/7", "target": "_blank"}


async def test_a_message_without_the_button_says_so(inbox: Inbox) -> None:
    id = await inbox.put()
    answer = await inbox.browser.patch(f"{LIST}/{id}/complete", json={"actionType": "primary"})
    assert answer.status_code == 400
    assert answer.json()["message"] == "The notification has no primary action."


@pytest.mark.parametrize("id", ["0" * 24, "nonsense", "%00"])
async def test_an_unknown_message_is_not_found(inbox: Inbox, id: str) -> None:
    assert (await inbox.browser.patch(f"{LIST}/{id}/read")).status_code == 404
    assert (await inbox.browser.delete(f"{LIST}/{id}/delete")).status_code == 404


async def test_a_session_of_a_removed_subscriber_opens_nothing(
    inbox: Inbox, client: httpx.AsyncClient
) -> None:
    await client.delete("/v2/subscribers/ada")
    assert (await inbox.browser.get(LIST)).status_code == 401
