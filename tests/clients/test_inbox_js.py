"""The published JavaScript client over HTTP: session, list, counts, marks, snooze, preferences."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.clients.javascript import CODE, needs_javascript
from tests.conftest import API_KEY
from tests.seeds import add_message
from tidings.domain.scope import Scope
from tidings.storage import environments, subscribers
from tidings.storage.database import Database

pytestmark = needs_javascript

WORKFLOW = {
    "name": "Orders",
    "workflowId": "orders",
    "active": True,
    "tags": ["shop"],
    "steps": [
        {"name": "Inbox", "type": "in_app", "controlValues": {"body": "Hello"}},
        {"name": "Mail", "type": "email", "controlValues": {"subject": "x", "body": "<p>x</p>"}},
    ],
}
BUTTONS = {"action": {"status": "pending", "buttons": [{"type": "primary", "content": "Go"}]}}


class Inbox:
    """Ada's inbox in the published client."""

    def __init__(self, address: str, application: str) -> None:
        self._arguments = ["node", "inbox.mjs", address, application, "ada"]

    async def do(self, *steps: list[Any]) -> list[Any]:
        """What came of each step; none may fail."""
        process = await asyncio.create_subprocess_exec(
            *self._arguments,
            json.dumps(steps),
            cwd=CODE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 0, output.decode()
        said = [json.loads(line) for line in output.decode().splitlines()]
        assert [each["error"] for each in said] == [None] * len(steps)
        return [each["data"] for each in said]


@pytest.fixture
async def inbox(address: str, database: Database, scope: Scope) -> Inbox:
    async with database.connection() as connection:
        found = await environments.get(connection, scope, scope.environment_id)
    return Inbox(address, found.identifier)


@pytest.fixture
async def message(inbox: Inbox, address: str, database: Database, scope: Scope) -> str:
    async with httpx.AsyncClient(
        base_url=address, headers={"Authorization": f"ApiKey {API_KEY}"}
    ) as client:
        made = await client.post("/v2/subscribers", json={"subscriberId": "ada"})
        assert made.status_code == 201
        workflow = await client.post("/v2/workflows", json=WORKFLOW)
    async with database.connection() as connection:
        owner = await subscribers.id_of(connection, scope, "ada")
    return await add_message(
        database,
        scope,
        owner,
        workflow.json()["data"]["_id"],
        body="Your order is on its way",
        tags=["shop"],
        severity="high",
        data={"order": 7},
        cta=BUTTONS,
    )


async def test_list_and_counts(inbox: Inbox, message: str) -> None:
    groups = {"and": [{"or": ["shop", "x"]}, {"or": ["shop"]}]}
    listed, none, count, counts = await inbox.do(
        ["notifications.list", {"tags": groups, "severity": ["high"], "data": {"order": 7}}],
        ["notifications.list", {"tags": ["other"]}],
        ["notifications.count", {"read": False}],
        ["notifications.count", {"filters": [{"severity": "high"}, {"severity": "low"}]}],
    )
    (shown,) = listed["notifications"]
    assert (shown["id"], shown["severity"]) == (message, "high")
    assert shown["to"]["firstName"] == "Ada"
    assert shown["workflow"]["identifier"] == "orders"
    assert listed["hasMore"] is False
    assert none["notifications"] == []
    assert count["count"] == 1
    assert [each["count"] for each in counts["counts"]] == [1, 0]


async def test_marks_actions_and_snooze(inbox: Inbox, message: str) -> None:
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    one = {"notificationId": message}
    read, unread, archived, unarchived, done, back, snoozed, hidden, late, woken = await inbox.do(
        ["notifications.read", one],
        ["notifications.unread", one],
        ["notifications.archive", one],
        ["notifications.unarchive", one],
        ["notifications.completePrimary", one],
        ["notifications.revertPrimary", one],
        ["notifications.snooze", {**one, "snoozeUntil": until}],
        ["notifications.list", {"archived": False, "snoozed": False}],
        ["notifications.list", {"snoozed": True}],
        ["notifications.unsnooze", one],
    )
    assert (read["isRead"], unread["isRead"]) == (True, False)
    assert (archived["isArchived"], unarchived["isArchived"]) == (True, False)
    assert done["primaryAction"]["isCompleted"]
    assert not back["primaryAction"]["isCompleted"]
    assert snoozed["isSnoozed"]
    assert (hidden["notifications"], len(late["notifications"])) == ([], 1)
    assert not woken["isSnoozed"]


async def test_many_at_once(inbox: Inbox, message: str) -> None:
    *_, archive, _, left = await inbox.do(
        ["notifications.seenAll", {"notificationIds": [message]}],
        ["notifications.readAll", {"tags": ["shop"]}],
        ["notifications.archiveAllRead", {"data": {"order": 7}}],
        ["notifications.list", {"archived": True}],
        ["notifications.delete", {"notificationId": message}],
        ["notifications.list", {}],
    )
    assert [each["id"] for each in archive["notifications"]] == [message]
    assert left["notifications"] == []


async def test_preferences_and_schedule(inbox: Inbox, message: str) -> None:
    hours = [{"start": "09:00 AM", "end": "05:00 PM"}]
    week = {"monday": {"isEnabled": True, "hours": hours}}
    choice = {"preference": {"workflow": {"id": "orders"}}, "channels": {"email": True}}
    listed, changed, everywhere, many, _, schedule = await inbox.do(
        ["preferences.list"],
        ["preferences.update", {"workflowId": "orders", "channels": {"email": False}}],
        ["preferences.update", {"preference": {}, "channels": {"in_app": False}}],
        ["preferences.bulkUpdate", [choice]],
        ["preferences.schedule.update", {"isEnabled": True, "weeklySchedule": week}],
        ["preferences.schedule.get"],
    )
    assert [each["level"] for each in listed] == ["global", "template"]
    assert listed[1]["channels"] == {"in_app": True, "email": True}
    assert changed["channels"] == {"in_app": True, "email": False}
    assert everywhere["channels"] == {"in_app": False, "email": True}
    assert [each["channels"] for each in many] == [{"in_app": False, "email": True}]
    assert (schedule["isEnabled"], schedule["weeklySchedule"]) == (True, week)


async def test_topics(inbox: Inbox, message: str) -> None:
    topic = {"topicKey": "project-7"}
    one = {**topic, "identifier": "updates"}
    before, made, listed, _, after = await inbox.do(
        ["subscriptions.get", one],
        ["subscriptions.create", one],
        ["subscriptions.list", topic],
        ["subscriptions.delete", one],
        ["subscriptions.list", topic],
    )
    assert before is None
    assert made["identifier"] == "updates"
    assert ([each["id"] for each in listed], after) == ([made["id"]], [])
