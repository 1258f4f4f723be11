"""A real browser on a real service: Debian's chromium, driven by Playwright.

All tests here share one event loop and one browser; each has a database, a service and visitors of
its own. A visitor's page fails its test by a console error, a request to another host, or a part
that could not be loaded.
"""

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.service import running
from tests.browser.visiting import Visits
from tests.conftest import TEST_KEY_TEXT
from tidings.settings import Settings
from tidings.storage.database import Database

_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser/" in item.path.as_posix() and isinstance(item, pytest.Function):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        remedy = "the browser tests need chromium: apt-get install chromium"
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
