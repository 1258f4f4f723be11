"""Pages of a real browser that notice what a visitor would not: errors, strangers, bad access."""

from typing import Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
)

from tests.browser.shots import shoot

WIDTHS = {"wide": (1440, 900), "narrow": (360, 740)}
LOOKS: list[tuple[str, Literal["light", "dark"]]] = [("wide", "light"), ("narrow", "dark")]
"""How every page must look well: (width, colour scheme), with every width and scheme once."""

_AXE: str = Axe().axe_script
_GRAVE = ("serious", "critical")
_ANSWERED = ("document", "xhr", "fetch")
_REPORTED_BY_STATUS = "Failed to load resource"


class Visits:
    """Opens pages and remembers what went wrong in them."""

    def __init__(self, browser: Browser, base: str) -> None:
        self._browser = browser
        self.base = base
        self._contexts: list[BrowserContext] = []
        self._problems: list[str] = []

    async def open(
        self,
        width: str = "wide",
        scheme: str = "light",
        javascript: bool = True,
        cookies: dict[str, str] | None = None,
    ) -> Page:
        """A blank page of a visitor of its own; paths are relative to the service."""
        across, down = WIDTHS[width]
        context = await self._browser.new_context(
            base_url=self.base,
            viewport={"width": across, "height": down},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=javascript,
            reduced_motion="reduce",
        )
        self._contexts.append(context)
        if cookies:
            await context.add_cookies(
                [{"name": key, "value": value, "url": self.base} for key, value in cookies.items()]
            )
        page = await context.new_page()
        self._watch(page)
        return page

    async def close(self) -> None:
        """End all visits; fails when a page had errors or asked another host."""
        for context in self._contexts:
            await context.close()
        assert not self._problems, "\n".join(self._problems)

    def _watch(self, page: Page) -> None:
        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error" and not message.text.startswith(_REPORTED_BY_STATUS):
                self._problems.append(f"console error on {page.url}: {message.text}")

        def on_request(request: Request) -> None:
            if not request.url.startswith((self.base, "data:", "blob:", "about:")):
                self._problems.append(f"{page.url} asked another host: {request.url}")

        def on_response(response: Response) -> None:
            if response.status >= 400 and response.request.resource_type not in _ANSWERED:
                path = urlsplit(response.url).path
                self._problems.append(f"{page.url} could not load {path}: {response.status}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: self._problems.append(f"{page.url}: {error}"))
        page.on("request", on_request)
        page.on("response", on_response)


MOST_BYTES = 100_000


async def check_page(page: Page) -> None:
    """What holds for every page: for everyone, no wider than its window, light, with a title."""
    await expect(page.locator("h1"), f"{page.url} needs exactly one h1").to_have_count(1)
    await page.wait_for_load_state()
    await check_access(page)
    await check_fits(page)
    size = await page.evaluate(
        "performance.getEntriesByType('navigation')[0].decodedBodySize"
        " + performance.getEntriesByType('resource')"
        ".filter(e => ['link', 'script', 'img'].includes(e.initiatorType))"
        ".reduce((sum, e) => sum + e.encodedBodySize, 0)"
    )
    assert size < MOST_BYTES, f"{page.url} weighs {size} bytes"


async def check_looks(page: Page, name: str) -> None:
    """The same in each of the looks, with a picture of each for those who ask for pictures."""
    for width, scheme in LOOKS:
        across, down = WIDTHS[width]
        await page.set_viewport_size({"width": across, "height": down})
        await page.emulate_media(color_scheme=scheme)
        await check_page(page)
        await shoot(page, f"{name}-{width}-{scheme}")


async def check_access(page: Page) -> None:
    """Fails on what axe finds serious or critical."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_AXE)
    found: list[dict[str, Any]] = await page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(found => found.violations)"
    )
    grave = [each for each in found if each["impact"] in _GRAVE]
    assert not grave, "\n".join(_described(page, each) for each in grave)


async def check_fits(page: Page) -> None:
    """Fails when the page is wider than its window, so that one would have to scroll sideways."""
    inner, outer = await page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert inner <= outer, f"{page.url} is {inner} wide in a window of {outer}"


def _described(page: Page, violation: dict[str, Any]) -> str:
    places = "\n".join(
        f"    {node['html'][:200]}\n      {node.get('failureSummary', '')[:300]}"
        for node in violation["nodes"][:5]
    )
    return f"{page.url}: {violation['id']} ({violation['impact']}): {violation['help']}\n{places}"
