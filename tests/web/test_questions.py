"""Pages ask the database the same number of questions, however much they show."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.browser.conftest import session_of
from tests.conftest import caller_of
from tests.records import Records
from tidings.actions import subscriptions
from tidings.api.door import Parts
from tidings.app import open_doors
from tidings.domain.scope import Scope
from tidings.domain.topics import Wanted
from tidings.storage import environments
from tidings.storage.database import Connection, Database
from tidings.world import World

_DRIVERS_OWN = ("pg_catalog", "set_config")
"""In what the driver asks when a connection meets a type for the first time."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that were put to the database."""
    questions: list[str] = []
    original = Database.connection

    @asynccontextmanager
    async def listening(self: Database) -> AsyncIterator[Connection]:
        def note(record: Any) -> None:
            if not any(word in record.query for word in _DRIVERS_OWN):
                questions.append(record.query)

        async with original(self) as connection:
            connection.add_query_logger(note)
            try:
                yield connection
            finally:
                connection.remove_query_logger(note)

    monkeypatch.setattr(Database, "connection", listening)
    return questions


async def seed(database: Database, scope: Scope, world: World, count: int) -> tuple[str, str]:
    """The ids of a subscriber and of a run, of so many runs, topics and messages."""
    records = Records(database, scope, world)
    workflow = await records.workflow(f"welcome-{count}")
    subscriber_id = await records.subscriber(f"ada-{count}", first_name="Ada")
    run = ""
    for number in range(count):
        run, jobs = await records.run(
            workflow, subscriber_id, ["completed", "delayed"], transaction_id=f"{count}-{number}"
        )
        async with database.transaction() as tx:
            wanted = [Wanted(f"ada-{count}")]
            await subscriptions.add(tx, scope, world, f"topic-{count}-{number}", wanted)
            person = await records.subscriber(f"member-{count}-{number}")
            assert person
    for number in range(count):
        await records.message(run, jobs[0], workflow, subscriber_id, target=str(number))
    return subscriber_id, run


async def test_what_is_shown_does_not_change_how_often_is_asked(
    parts: Parts, database: Database, scope: Scope, world: World, asked: list[str]
) -> None:
    async with database.connection() as connection:
        environment = await environments.get(connection, scope, scope.environment_id)
    home = f"/dashboard/{environment.identifier}"
    cookies = {"tidings_session": await session_of(database, "editor")}

    async def questions(client: httpx.AsyncClient, path: str) -> int:
        asked.clear()
        answer = await client.get(f"{home}/{path}")
        assert answer.status_code == 200, path
        return len(asked)

    async with caller_of(open_doors(parts), None) as client:
        client.cookies.update(cookies)
        counts = []
        for size in (2, 20):
            subscriber_id, run = await seed(database, scope, world, size)
            counts.append(
                {
                    name: await questions(client, path)
                    for name, path in (
                        ("feed", "activity"),
                        ("news", f"activity/news?since={'0' * 24}"),
                        ("run", f"activity/{run}"),
                        ("people", "subscribers"),
                        ("person", f"subscribers/{subscriber_id}"),
                        ("preferences", f"subscribers/{subscriber_id}/preferences"),
                        ("timeline", f"subscribers/{subscriber_id}/timeline"),
                        ("topics", "topics"),
                        ("topic", f"topics/topic-{size}-0"),
                    )
                }
            )
    assert counts[0] == counts[1]
    assert max(counts[0].values()) < 10, counts[0]


async def test_a_quiet_feed_costs_one_question(
    parts: Parts, database: Database, scope: Scope, world: World, asked: list[str]
) -> None:
    async with database.connection() as connection:
        environment = await environments.get(connection, scope, scope.environment_id)
    _, run = await seed(database, scope, world, 3)
    cookies = {"tidings_session": await session_of(database, "viewer")}
    async with caller_of(open_doors(parts), None) as client:
        client.cookies.update(cookies)
        asked.clear()
        path = f"/dashboard/{environment.identifier}/activity/news?since={run}"
        answer = await client.get(path)
    assert answer.status_code == 204
    assert sum("FROM notifications" in each for each in asked) == 1
    assert not any("FROM jobs" in each or "workflow_versions" in each for each in asked)
