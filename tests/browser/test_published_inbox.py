"""The published Inbox component, unchanged, in a real browser on another site's page: bell, list,
live arrival by socket.io, marks, snooze, buttons and preferences."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.inboxes import call, send
from tests.browser.sites import Served, site
from tests.browser.visiting import Visits
from tests.clients.javascript import CODE, needs_javascript
from tests.conftest import TEST_KEY_TEXT
from tests.waiting import until_async
from tidings.settings import Settings

BUNDLER = CODE / "node_modules" / ".bin" / "esbuild"
pytestmark = needs_javascript
_PAGE = (
    b'<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">'
    b'<div id="inbox"></div><script src="/inbox_page.js"></script>'
)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return Settings(data_dir=settings.data_dir, encryption_key=TEST_KEY_TEXT, dialect="novu")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bundle(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The component as a site's build makes it."""
    out = tmp_path_factory.mktemp("bundle") / "inbox_page.js"
    process = await asyncio.create_subprocess_exec(
        *(BUNDLER, "inbox_page.mjs", "--bundle", "--format=iife", "--log-level=error"),
        f"--outfile={out}",
        cwd=CODE,
    )
    assert await asyncio.wait_for(process.wait(), 60) == 0
    return out.read_bytes()


@pytest.fixture
def shop(bundle: bytes) -> Iterator[str]:
    script = Served(bundle, "text/javascript; charset=utf-8")
    with site({"/": Served(_PAGE), "/inbox_page.js": script}) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def office(visits: Visits) -> Page:
    """Somebody who triggers and asks."""
    return await visits.open()


class Inbox:
    """The component as its user sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.bell = page.locator(".nv-inbox__popoverTrigger")
        self.dot = page.locator(".nv-bellDot")
        self.items = page.locator(".nv-notification")

    def item(self, text: str) -> Locator:
        return self.items.filter(has_text=text)

    async def press(self, text: str, button: str) -> None:
        await self.item(text).hover()
        await self.item(text).locator(f".nv-notification{button}__button").click()

    async def show(self, view: str) -> None:
        await self.page.locator(".nv-inboxStatus__dropdownTrigger").click()
        await self.page.locator(".nv-inboxStatus__dropdownItem").filter(has_text=view).click()


@pytest_asyncio.fixture(loop_scope="session")
async def inbox(browser: Browser, base: str, shop: str, office: Page) -> AsyncIterator[Inbox]:
    found: Any = await call(office, "GET", "/v1/environments")
    application = next(e["identifier"] for e in found["data"] if e["name"] == "Development")
    context = await browser.new_context(viewport={"width": 900, "height": 800})
    page = await context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "response",
        lambda answer: (
            problems.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None
        ),
    )
    async with page.expect_websocket(lambda socket: "/socket.io/" in socket.url):
        await page.goto(f"{shop}/?server={base}&application={application}&subscriber=demo-anna")
    yield Inbox(page)
    await context.close()
    assert not problems


async def test_a_message_arrives_by_the_socket(inbox: Inbox, office: Page) -> None:
    await expect(inbox.bell).to_be_visible()
    await expect(inbox.dot).to_have_count(0)
    await send(office, "Hello", "Some text")
    await expect(inbox.dot).to_be_visible()
    await inbox.bell.click()
    await expect(inbox.item("Hello")).to_contain_text("Some text")
    await send(office, "Another", "Text")
    await inbox.page.get_by_role("button", name="1 new notification").click()
    await expect(inbox.items).to_have_count(2)
    await expect(inbox.items.first).to_contain_text("Another")


async def test_reading_archiving_and_snoozing(inbox: Inbox, office: Page) -> None:
    for title in ("One", "Two", "Three"):
        await send(office, title, "Text")

    async def arrived() -> bool:
        found: Any = await call(office, "GET", "/v1/messages?channel=in_app")
        return bool(found["totalCount"] == 3)

    await until_async(arrived)
    await expect(inbox.dot).to_be_visible()
    await inbox.bell.click()
    await expect(inbox.items).to_have_count(3)

    await inbox.press("One", "Read")
    await expect(inbox.item("One").locator(".nv-notificationDot")).to_be_hidden()
    await inbox.press("Two", "Archive")
    await expect(inbox.items).to_have_count(2)
    await inbox.press("Three", "Snooze")
    await inbox.page.get_by_text("An hour from now").click()
    await expect(inbox.items).to_have_count(1)
    await expect(inbox.dot).to_have_count(0)

    await inbox.show("Archived")
    await expect(inbox.items).to_have_count(1)
    await expect(inbox.item("Two")).to_be_visible()
    await inbox.show("Snoozed")
    await expect(inbox.items).to_have_count(1)
    await expect(inbox.item("Three")).to_contain_text("Snoozed until")
    await inbox.press("Three", "Unsnooze")
    await expect(inbox.dot).to_be_visible()
    await inbox.show("Unread only")
    await expect(inbox.item("Three")).to_be_visible()


async def test_a_button_of_a_message(inbox: Inbox, office: Page) -> None:
    await send(office, "Join us", "Please", "invitation")
    await expect(inbox.dot).to_be_visible()
    await inbox.bell.click()
    async with inbox.page.expect_response("**/complete") as answer:
        await inbox.item("Join us").locator(".nv-notificationPrimaryAction__button").click()
    done = (await (await answer.value).json())["data"]
    assert done["primaryAction"]["isCompleted"] is True


async def test_preferences(inbox: Inbox, office: Page) -> None:
    await send(office, "Hello", "Text")
    await expect(inbox.dot).to_be_visible()
    await inbox.bell.click()
    await inbox.page.locator(".nv-preferences__button").click()
    workflow = inbox.page.locator(".nv-workflowContainer").filter(has_text="Comments")
    await workflow.locator(".nv-workflowLabel").click()
    email = workflow.locator(".nv-channelContainer").filter(has_text="Email")
    await expect(email.locator("input")).to_be_checked()
    async with inbox.page.expect_response(
        lambda answer: "/preferences" in answer.url and answer.request.method == "PATCH"
    ) as changed:
        await email.locator(".nv-channelSwitch").click()
    assert (await (await changed.value).json())["data"]["channels"] == {
        "in_app": True,
        "email": False,
    }
    await expect(email.locator("input")).not_to_be_checked()
    known: Any = await call(office, "GET", "/v2/subscribers/demo-anna/preferences")
    stored = next(
        each for each in known["data"]["workflows"] if each["workflow"]["name"] == "Comments"
    )
    assert stored["channels"]["email"] is False
