"""What a listing asks of the database: at most two questions, and no more for many rows than for
one. The listings are found, so a new one is held to it as well."""

import re
from collections.abc import AsyncIterator
from typing import Any, get_origin, get_type_hints

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from tests.conftest import caller_of
from tests.counting import counting
from tests.doors import open_doors
from tests.records import Records
from tidings import api
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.hall.finding import found
from tidings.hall.wire import Out
from tidings.storage.database import Database
from tidings.world import World

MOST_QUESTIONS = 2
ROWS = 50
OF_ONE = {"/v2/subscribers/{subscriberId}/preferences"}
"""No listing, but everything about one subscriber: it, what it chose, and the workflows."""


class Names(dict[str, str]):
    """What stands in a path; nothing has the name "none"."""

    def __missing__(self, name: str) -> str:
        return "none"


NAMES = Names(topicKey="topic-0", subscriberId="s-0", workflowId="workflow-0")


def listings() -> list[str]:
    """The addresses of all operations that answer a list, or something with a list in it."""
    paths = []
    for handler in found(api, "HANDLERS"):
        assert isinstance(handler, HTTPRouteHandler)
        if "GET" in handler.http_methods and _lists(get_type_hints(handler.fn)["return"]):
            paths += [re.sub(r":\w+}", "}", path) for path in handler.paths]
    return sorted(paths)


def _lists(answered: Any) -> bool:
    if get_origin(answered) is list:
        return True
    if not (isinstance(answered, type) and issubclass(answered, Out)):
        return False
    return any(get_origin(kind) is list for kind in get_type_hints(answered).values())


@pytest.fixture
async def quiet(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    async with caller_of(open_doors(parts)) as client:
        yield client


class Seeds:
    """The same amount of everything that is listed."""

    def __init__(
        self, client: httpx.AsyncClient, database: Database, scope: Scope, world: World
    ) -> None:
        self._client = client
        self._records = Records(database, scope, world)

    async def sow(self, numbers: range) -> None:
        people = [{"subscriberId": f"s-{number}"} for number in numbers]
        await self._post("/v1/subscribers/bulk", {"subscribers": people})
        for number in numbers:
            await self._post("/v2/topics", {"key": f"topic-{number}"})
            workflow: dict[str, Any] = {"name": "W", "workflowId": f"workflow-{number}"}
            step = {"name": "Inbox", "type": "in_app", "controlValues": {"body": "Hi"}}
            await self._post("/v2/workflows", {**workflow, "active": True, "steps": [step]})
            path = f"/v2/topics/topic-{number}/subscriptions"
            await self._post(path, {"subscriberIds": ["s-0"]})
            await self._post("/v2/layouts", {"layoutId": f"layout-{number}", "name": "L"})
        members = {"subscriberIds": [each["subscriberId"] for each in people]}
        await self._post("/v2/topics/topic-0/subscriptions", members)
        workflow_id = await self._records.workflow(f"ran-{numbers.start}")
        person = await self._records.subscriber(f"reader-{numbers.start}")
        for _ in numbers:
            await self._records.run(workflow_id, person, ["completed", "completed"])

    async def _post(self, path: str, body: Any) -> None:
        answer = await self._client.post(path, json=body)
        assert answer.status_code < 300, (path, answer.text)


async def questions(
    client: httpx.AsyncClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> dict[str, tuple[int, list[str]]]:
    """For each listing how many bytes it answers and what it asks."""
    found = {}
    for path in listings():
        address = path.format_map(NAMES)
        sized = f"{address}?limit=50"
        await client.get(sized)  # the driver learns the types
        async with counting(database, monkeypatch) as asked:
            answer = await client.get(sized)
        found[path] = (len(answer.content), list(asked))
    return found


async def test_a_listing_asks_the_same_for_one_row_and_for_many(
    quiet: httpx.AsyncClient,
    database: Database,
    scope: Scope,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeds = Seeds(quiet, database, scope, world)
    await seeds.sow(range(1))
    few = await questions(quiet, database, monkeypatch)
    await seeds.sow(range(1, ROWS))
    many = await questions(quiet, database, monkeypatch)
    for path, (size, asked) in many.items():
        before_size, before = few[path]
        assert len(asked) <= max(len(before), MOST_QUESTIONS), (path, asked)
        assert path in OF_ONE or len(asked) <= MOST_QUESTIONS, (path, asked)
        assert size >= before_size
    grown = {path for path, (size, _) in many.items() if size > 5 * few[path][0]}
    assert {"/v2/subscribers", "/v2/topics", "/v2/workflows", "/v1/notifications"} <= grown


async def test_a_page_is_no_larger_than_what_it_shows(
    quiet: httpx.AsyncClient, database: Database, scope: Scope, world: World
) -> None:
    await Seeds(quiet, database, scope, world).sow(range(10))
    assert len((await quiet.get("/v2/subscribers")).content) <= 5_000
    assert len((await quiet.get("/v1/notifications")).content) <= 25_000
