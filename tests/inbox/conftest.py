"""A subscriber in front of its inbox."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest

from tests.conftest import caller_of
from tests.doors import open_doors
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.storage import environments
from tidings.storage.database import Database

Visit = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def application(database: Database, scope: Scope) -> str:
    """The identifier under which the Development environment's inbox is opened."""
    async with database.connection() as connection:
        return (await environments.get(connection, scope, scope.environment_id)).identifier


@pytest.fixture
async def anyone(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    """A browser without a token."""
    async with caller_of(open_doors(parts), key=None) as browser:
        yield browser


@pytest.fixture
async def visit(parts: Parts, application: str) -> AsyncIterator[Visit]:
    """Opens the inbox of a subscriber: a client that carries its token."""
    door = open_doors(parts)
    opened: list[httpx.AsyncClient] = []

    async def visit(subscriber: str, identifier: str | None = None) -> httpx.AsyncClient:
        browser = caller_of(door, key=None)
        opened.append(browser)
        body = {
            "applicationIdentifier": identifier or application,
            "subscriber": {"subscriberId": subscriber},
        }
        answer = await browser.post("/v1/inbox/session", json=body)
        assert answer.status_code == 201, answer.text
        browser.headers["Authorization"] = f"Bearer {answer.json()['data']['token']}"
        return browser

    yield visit
    for browser in opened:
        await browser.aclose()
