"""Every operation of the inbox, tried with the ids of others, here and in another environment."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from tests import seeds
from tests.inbox.conftest import Visit
from tidings import inbox
from tidings.domain.scope import Scope
from tidings.hall.finding import found
from tidings.storage import subscribers
from tidings.storage.database import Database

SECRET = "for bob's eyes only"
BUTTONS = {"action": {"status": "pending", "buttons": [{"type": "primary", "content": SECRET}]}}
# The stream takes its token in the query too, and proves it itself.
UNGUARDED = {"open_session", "follow"}


class Operation(NamedTuple):
    method: str
    path: str

    def filled(self, values: Mapping[str, str]) -> str:
        return re.sub(r"\{(\w+):str\}", lambda match: values.get(match[1], "x"), self.path)


def operations() -> Iterator[Operation]:
    for handler in found(inbox, "HANDLERS"):
        assert isinstance(handler, HTTPRouteHandler)
        for method in sorted(handler.http_methods):
            for path in sorted(handler.paths):
                yield Operation(str(getattr(method, "value", method)), path)


class Others(NamedTuple):
    """What ada has no business with."""

    message: str
    foreign_message: str
    foreign_workflow: str


@pytest.fixture
async def others(database: Database, scope: Scope, other_scope: Scope, visit: Visit) -> Others:
    bob = await visit("bob")
    await bob.post("/v1/inbox/topics/news/subscriptions", json={"identifier": "bobs"})
    await bob.patch("/v1/inbox/preferences", json={"email": False})
    async with database.connection() as connection:
        bob_id = await subscribers.id_of(connection, scope, "bob")
    return Others(
        await seeds.add_message(database, scope, bob_id, body=SECRET, cta=BUTTONS, tags=["all"]),
        await seeds.add_message(database, other_scope, bob_id, body=SECRET, cta=BUTTONS),
        await seeds.add_workflow(database, other_scope, SECRET),
    )


async def everything(database: Database) -> list[Any]:
    """All that belongs to anyone but ada."""
    async with database.connection() as connection:
        mine = await connection.fetchval("SELECT id FROM subscribers WHERE key = 'ada'")
        tables = ("messages", "subscriber_preferences", "topic_subscriptions")
        rows = [
            await connection.fetch(
                f"SELECT * FROM {table} AS r WHERE subscriber_id <> $1 ORDER BY r", mine
            )
            for table in tables
        ]
        people = await connection.fetch("SELECT * FROM subscribers WHERE id <> $1", mine)
    return [tuple(row) for table in [*rows, people] for row in table]


def body(others: Others) -> dict[str, Any]:
    """Something for every operation; what one does not know it ignores."""
    until = datetime.now(UTC) + timedelta(hours=1)
    return {
        "snoozeUntil": until.isoformat(),
        "actionType": "primary",
        "notificationIds": [others.message, others.foreign_message],
        "tags": ["all"],
        "email": False,
        "identifier": "bobs",
    }


async def test_nobody_sees_or_touches_what_is_anothers(
    database: Database, visit: Visit, others: Others
) -> None:
    ada = await visit("ada")
    before = await everything(database)
    for operation, message in product(operations(), (others.message, others.foreign_message)):
        values = {
            "notificationId": message,
            "topicKey": "news",
            "identifier": "bobs",
            "workflowId": others.foreign_workflow,
        }
        answer = await ada.request(
            operation.method,
            f"/v1/inbox{operation.filled(values)}",
            json=None if operation.method == "GET" else body(others),
        )
        assert SECRET not in answer.text, operation
        assert answer.status_code < 500, operation
        if "notificationId" in operation.path or "{workflowId:str}" in operation.path:
            assert answer.status_code in (400, 404), operation
        assert await everything(database) == before, operation


async def test_nothing_opens_without_a_token(
    anyone: httpx.AsyncClient, client: httpx.AsyncClient
) -> None:
    for operation, caller in product(operations(), (anyone, client)):
        answer = await caller.request(operation.method, f"/v1/inbox{operation.filled({})}")
        assert answer.status_code == 401, operation
        assert answer.json()["statusCode"] == 401


async def test_only_the_session_is_open() -> None:
    handlers = found(inbox, "OPEN_HANDLERS")
    names = {each.handler_name for each in handlers if isinstance(each, HTTPRouteHandler)}
    assert names <= UNGUARDED


async def test_tokens_stay_out_of_the_logs(
    anyone: httpx.AsyncClient, application: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"applicationIdentifier": application, "subscriber": {"subscriberId": "ada"}}
    token = (await anyone.post("/v1/inbox/session", json=body)).json()["data"]["token"]
    for header in (f"Bearer {token}", f"Bearer {token}x", f"Basic {token}"):
        await anyone.get("/v1/inbox/notifications", headers={"Authorization": header})
    written = capsys.readouterr()
    assert token not in written.out + written.err
