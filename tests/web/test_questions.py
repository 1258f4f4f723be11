"""Pages ask the database the same number of questions, however much they show."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.browser.conftest import session_of
from tests.conftest import caller_of
from tests.counting import counting
from tests.doors import open_doors
from tests.records import Records
from tidings.actions import subscriptions
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.domain.topics import Wanted
from tidings.storage import environments
from tidings.storage.database import Database
from tidings.world import World


@pytest.fixture
async def asked(database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """The questions that were put to the database."""
    async with counting(database, monkeypatch) as questions:
        yield questions


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
    await asyncio.sleep(0)  # the driver tells of the last question a moment later
    assert answer.status_code == 204
    assert sum("FROM notifications" in each for each in asked) == 1
    assert not any("FROM jobs" in each for each in asked)
