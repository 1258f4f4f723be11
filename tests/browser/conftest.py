"""A real browser on a real service: Debian's chromium, driven by Playwright.

All tests here share one event loop and one browser; each has a database, a service and visitors of
its own. A visitor's page fails its test by a console error, a request to another host, or a part
that could not be loaded.
"""

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Protocol

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.application import Application
from tests.browser.service import running
from tests.browser.visiting import Visits
from tests.conftest import TEST_KEY_TEXT, make_world
from tests.waiting import DEADLINE
from tidings.actions import sessions, users
from tidings.domain.environments import DEVELOPMENT, PRODUCTION
from tidings.domain.scope import Scope
from tidings.domain.users import Role
from tidings.settings import Settings
from tidings.storage import environments
from tidings.storage import users as stored
from tidings.storage.database import Database

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first one draws no windows of its own, and takes about two thirds of the time."""
_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


expect.set_options(timeout=DEADLINE * 1000)  # cores are shared with other tests


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix() and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        remedy = "the browser tests need chromium: apt-get install chromium-headless-shell"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=chromium, args=list(_ARGUMENTS), timeout=60_000
        )
        yield launched
        await launched.close()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return Settings(data_dir=settings.data_dir, encryption_key=TEST_KEY_TEXT)


@pytest.fixture
def base(chromium: str, url: str, settings: Settings) -> Iterator[str]:
    """The address of a running service."""
    with running(url, settings) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def database(url: str) -> AsyncIterator[Database]:
    """The service's own database, to seed and to look into."""
    database = await Database.open(url, 2)
    yield database
    await database.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visits(browser: Browser, base: str) -> AsyncIterator[Visits]:
    visits = Visits(browser, base)
    yield visits
    await visits.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(visits: Visits) -> Page:
    """A stranger's page, wide and light."""
    return await visits.open()


@pytest_asyncio.fixture(loop_scope="session")
async def scope(database: Database) -> Scope:
    return await _scope(database, DEVELOPMENT)


@pytest_asyncio.fixture(loop_scope="session")
async def other_scope(database: Database) -> Scope:
    return await _scope(database, PRODUCTION)


async def _scope(database: Database, name: str) -> Scope:
    async with database.connection() as connection:
        found = await environments.named(connection, name)
    return Scope(found.organization_id, found.id)


@pytest_asyncio.fixture(loop_scope="session")
async def home(database: Database) -> str:
    """The path of the Development environment's pages: `f"{home}/topics"`."""
    async with database.connection() as connection:
        found = await environments.named(connection, DEVELOPMENT)
    return f"/dashboard/{found.identifier}"


@pytest_asyncio.fixture(loop_scope="session")
async def application(base: str) -> AsyncIterator[Application]:
    """A program with the Development key, beside the browser."""
    application = Application(base)
    yield application
    await application.close()


class SignIn(Protocol):
    def __call__(
        self,
        role: Role,
        width: str = "wide",
        javascript: bool = True,
    ) -> Awaitable[Page]: ...


@pytest.fixture
def signed_in(visits: Visits, database: Database) -> SignIn:
    """Opens the page of somebody with that role, who is already signed in."""

    async def sign_in(role: Role, width: str = "wide", javascript: bool = True) -> Page:
        cookies = {"tidings_session": await session_of(database, role)}
        return await visits.open(width, javascript=javascript, cookies=cookies)

    return sign_in


async def session_of(database: Database, role: Role) -> str:
    """The token of a session of somebody with that role, made when there is nobody yet."""
    world, email = make_world(), f"{role}@example.com"
    async with database.transaction() as tx:
        user = await stored.find_by_email(tx, email)
        if user is None:
            organization_id = await environments.organization_id(tx)
            name = f"{role.title()} Example"
            user = await users.create(tx, organization_id, world, email, name, role, None)
        _, token = await sessions.open_session(tx, world, user, "127.0.0.1", "test")
    return token
