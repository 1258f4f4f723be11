"""A reader in front of `<tidings-inbox>`, and somebody who triggers."""

from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.conftest import API_KEY


class Reader:
    """Finds what a person would look for in the element."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.element = page.locator("tidings-inbox")
        self.bell = self.element.locator(".bell")
        self.panel = self.element.get_by_role("dialog")
        self.items = self.element.get_by_role("article")
        self.notice = self.element.locator(".notice")

    def item(self, title: str) -> Locator:
        return self.items.filter(has_text=title)

    async def open(self) -> None:
        await self.bell.click()
        await expect(self.panel).to_be_visible()

    async def view(self, name: str) -> None:
        await self.element.get_by_role("tab", name=name).click()

    async def press(self, title: str, button: str) -> None:
        """One of the buttons that a message shows when one points at it."""
        await self.item(title).hover()
        await self.item(title).get_by_role("button", name=button, exact=True).click()

    async def scroll_down(self) -> None:
        await self.element.locator(".scroll").evaluate("node => { node.scrollTop = 1e6 }")

    async def expect_unread(self, count: int) -> None:
        badge = self.element.locator(".badge")
        if count:
            await expect(badge).to_have_text("99+" if count > 99 else str(count))
        else:
            await expect(badge).to_be_hidden()

    async def focused(self) -> str:
        """What the focused element inside is called."""
        name: str = await self.element.evaluate(
            "host => { const at = host.shadowRoot.activeElement; if (!at) return '';"
            " const title = at.querySelector('.subject')?.textContent;"
            " return at.getAttribute('aria-label') || title || at.textContent }"
        )
        return name.strip()


async def visit(page: Page, person: str = "anna", **options: str) -> Reader:
    """That person's page in the demonstration."""
    query = "&".join(f"{name}={value}" for name, value in options.items())
    await page.goto(f"/demo/inbox/window/{person}?{query}")
    reader = Reader(page)
    await expect(page.locator("#events")).to_contain_text("tidings:ready")
    return reader


async def send(page: Page, title: str, text: str = "", kind: str = "comment", *people: str) -> None:
    """Trigger as the demonstration's form does."""
    body = {"people": list(people or ("anna",)), "kind": kind, "title": title, "text": text}
    answer = await page.request.post("/demo/inbox/trigger", data=body)
    assert answer.ok, await answer.text()


async def call(page: Page, method: str, path: str, body: Any = None) -> Any:
    """The API, as a server of the product calls it."""
    answer = await page.request.fetch(
        path, method=method, data=body, headers={"Authorization": f"ApiKey {API_KEY}"}
    )
    assert answer.ok, await answer.text()
    return await answer.json()
