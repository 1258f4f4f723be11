"""Our own element in a real browser: what arrives, what a reader does, and who can use it."""

import asyncio
import itertools
import json
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Request, Route, expect

from tests.browser.inboxes import Reader, call, send, visit
from tests.browser.sites import Served, site
from tests.browser.visiting import LOOKS, Visits, check_access, check_fits
from tests.waiting import DEADLINE, until_async


async def test_a_message_arrives_while_the_page_is_open(page: Page) -> None:
    reader = await visit(page)
    await reader.expect_unread(0)
    await send(page, "Mia replied", "Shall we ship it?")
    await reader.expect_unread(1)
    await expect(reader.bell).to_have_accessible_name("Notifications, 1 unread")
    await expect(reader.element.get_by_role("status")).to_have_text("New notification: Mia replied")
    await expect(page.locator("#events")).to_contain_text("tidings:message Mia replied")
    await reader.open()
    await expect(reader.item("Mia replied")).to_contain_text("Shall we ship it?")


async def test_a_message_arrives_in_the_open_list(page: Page) -> None:
    await send(page, "First")
    reader = await visit(page)
    await reader.open()
    await expect(reader.items).to_have_count(1)
    await send(page, "Second")
    await expect(reader.items).to_have_count(2)
    await expect(reader.items.first).to_contain_text("Second")
    await reader.expect_unread(2)


async def test_news_that_come_while_it_looks_are_looked_at_once_more(page: Page) -> None:
    reader = await visit(page)
    held: asyncio.Future[Route] = asyncio.get_running_loop().create_future()

    async def hold_the_first(route: Route) -> None:
        if held.done():
            await route.continue_()
        else:
            held.set_result(route)

    await page.route("**/v1/inbox/notifications?*", hold_the_first)
    await send(page, "First")
    first = await held
    await reader.element.evaluate("inbox => inbox.refresh()")
    await first.continue_()
    await send(page, "Second")
    await reader.expect_unread(2)
    await expect(page.locator("#events")).to_contain_text("tidings:message Second")


async def test_toasts_for_those_who_want_them(page: Page) -> None:
    reader = await visit(page)
    toast = reader.element.locator(".toast")
    await send(page, "Quiet")
    await reader.expect_unread(1)
    await expect(toast).to_have_count(0)
    await reader.element.evaluate("node => node.setAttribute('toasts', '')")
    await send(page, "Loud", "And clear")
    await expect(toast).to_contain_text("And clear")
    await check_access(page)
    await toast.click()
    await expect(reader.item("Loud")).to_be_visible()
    await expect(toast).to_have_count(0)


async def test_reading_and_taking_it_back(page: Page) -> None:
    await send(page, "Hello")
    reader = await visit(page)
    await reader.open()
    await expect(reader.item("Hello").locator(".dot")).to_be_visible()
    await reader.press("Hello", "Mark as read")
    await reader.expect_unread(0)
    await expect(reader.item("Hello").locator(".dot")).to_have_count(0)
    await reader.press("Hello", "Mark as unread")
    await expect(reader.item("Hello").locator(".dot")).to_be_visible()
    await reader.expect_unread(1)
    await reader.item("Hello").click()
    await reader.expect_unread(0)


async def test_a_list_from_before_a_change_does_not_take_it_back(page: Page) -> None:
    await send(page, "Hello")
    reader = await visit(page)
    await reader.open()
    dot = reader.item("Hello").locator(".dot")
    await expect(dot).to_be_visible()
    asked, released, requests = asyncio.Event(), asyncio.Event(), itertools.count(1)

    async def hold_the_second(route: Route) -> None:
        answer = await route.fetch()
        if next(requests) == 2:
            asked.set()
            await released.wait()
        await route.fulfill(response=answer)

    await page.route("**/v1/inbox/notifications?limit=*", hold_the_second)
    await send(page, "Again")
    await asyncio.wait_for(asked.wait(), DEADLINE)
    await reader.press("Hello", "Mark as read")
    await expect(dot).to_have_count(0)
    await reader.element.evaluate(
        "host => { host.dots = 0; new MutationObserver(() => {"
        " host.dots = Math.max(host.dots, host.shadowRoot.querySelectorAll('.dot').length)"
        "}).observe(host.shadowRoot, {subtree: true, childList: true}) }"
    )
    released.set()
    await expect(reader.item("Again")).to_be_visible()
    assert await reader.element.evaluate("host => host.dots") == 1
    await page.unroute_all(behavior="wait")


async def test_the_views_hold_what_their_names_say(page: Page) -> None:
    for title in ("One", "Two", "Three"):
        await send(page, title)
    reader = await visit(page)
    await reader.expect_unread(3)
    await reader.open()
    await reader.press("Two", "Mark as read")
    await reader.press("Three", "Archive")
    await reader.expect_unread(1)
    await reader.view("Unread")
    await expect(reader.items).to_have_count(1)
    await expect(reader.item("One")).to_be_visible()
    await reader.view("Archived")
    await expect(reader.items).to_have_count(1)
    await reader.press("Three", "Move back")
    await expect(reader.panel).to_contain_text("Nothing archived")
    await reader.view("All")
    await expect(reader.items).to_have_count(3)


async def test_archiving_can_be_undone(page: Page) -> None:
    await send(page, "Hello")
    reader = await visit(page)
    await reader.open()
    await reader.press("Hello", "Archive")
    await expect(reader.items).to_have_count(0)
    await expect(reader.notice).to_contain_text("Archived.")
    await reader.notice.get_by_role("button", name="Undo").click()
    await expect(reader.item("Hello")).to_be_visible()
    await reader.expect_unread(1)


async def test_snoozing_and_waking(page: Page) -> None:
    await send(page, "Later")
    reader = await visit(page)
    await reader.open()
    await reader.press("Later", "Snooze")
    await reader.item("Later").get_by_role("button", name="Tomorrow morning").click()
    await expect(reader.items).to_have_count(0)
    await reader.expect_unread(0)
    await reader.view("Snoozed")
    await expect(reader.item("Later")).to_contain_text("Until")
    await reader.press("Later", "Wake now")
    await reader.view("All")
    await expect(reader.item("Later")).to_be_visible()
    await reader.expect_unread(1)


async def test_snoozing_until_a_time_of_ones_own(page: Page) -> None:
    await send(page, "Later")
    reader = await visit(page)
    await reader.open()
    await reader.press("Later", "Snooze")
    field = reader.item("Later").get_by_label("Snooze until")
    await field.fill("2020-01-01T10:00")
    await reader.item("Later").get_by_role("button", name="Set").click()
    await expect(reader.notice).to_contain_text("That did not work.")
    await field.fill(
        await page.evaluate("new Date(Date.now() + 2 * 864e5).toISOString().slice(0, 16)")
    )
    await reader.item("Later").get_by_role("button", name="Set").click()
    await expect(reader.notice).to_contain_text("Snoozed.")


async def test_deleting_asks_first(page: Page) -> None:
    await send(page, "Gone")
    reader = await visit(page)
    await reader.open()
    await reader.press("Gone", "Delete")
    await reader.item("Gone").get_by_role("button", name="Keep").click()
    await expect(reader.item("Gone").get_by_text("Delete for good?")).to_be_hidden()
    await reader.press("Gone", "Delete")
    drawer = reader.item("Gone").get_by_role("group", name="Delete")
    await drawer.get_by_role("button", name="Delete").click()
    await expect(reader.panel).to_contain_text("Nothing here yet")
    await reader.expect_unread(0)


async def test_everything_is_read_at_once(page: Page) -> None:
    for title in ("One", "Two"):
        await send(page, title)
    reader = await visit(page)
    await reader.expect_unread(2)
    await reader.open()
    await reader.element.get_by_role("button", name="Mark all as read").click()
    await reader.expect_unread(0)
    await expect(reader.items.locator(".dot")).to_have_count(0)
    await reader.view("Unread")
    await expect(reader.panel).to_contain_text("You are all caught up")


async def test_a_button_is_done_for_good(page: Page) -> None:
    await send(page, "Join us", "Please", "invitation")
    reader = await visit(page)
    await reader.open()
    await reader.item("Join us").get_by_role("button", name="Accept").click()
    done = reader.item("Join us").get_by_role("button", name="Accept (done)")
    await expect(done).to_be_disabled()
    await expect(page.locator("#events")).to_contain_text("tidings:action primary: Accept")
    await reader.expect_unread(0)
    await page.reload()
    await reader.open()
    await expect(done).to_be_visible()


async def test_a_message_leads_where_it_says_unless_the_page_does_that_itself(page: Page) -> None:
    await send(page, "Alarm", "Look", "alarm")
    reader = await visit(page)
    await reader.open()
    await page.evaluate(
        "document.addEventListener('tidings:navigate', event => {"
        " event.preventDefault(); window.went = event.detail.url }, {once: true})"
    )
    await reader.item("Alarm").click()
    await page.wait_for_function("window.went")
    assert (await page.evaluate("window.went")).endswith("/demo/inbox/window/anna")
    await reader.expect_unread(0)
    async with page.expect_navigation():
        await reader.item("Alarm").click()


async def test_many_messages_come_page_by_page(page: Page) -> None:
    await send(page, "The first")
    events = [
        {
            "name": "inbox-demo-comment",
            "to": "demo-anna",
            "payload": {"title": f"Number {number}", "text": "Of many"},
        }
        for number in range(100)
    ]
    await call(page, "POST", "/v1/events/trigger/bulk", {"events": events})
    reader = await visit(page)
    await reader.expect_unread(101)
    await expect(reader.bell).to_have_accessible_name("Notifications, 99+ unread")
    await reader.open()
    await expect(reader.items).to_have_count(10)
    await reader.scroll_down()
    await expect(reader.items).to_have_count(20)
    await reader.scroll_down()
    await expect(reader.items).to_have_count(30)
    ids = await reader.items.evaluate_all("nodes => nodes.map(node => node.dataset.id)")
    assert len(ids) == len(set(ids))


async def test_preferences(page: Page) -> None:
    await send(page, "One", "", "comment")
    reader = await visit(page)
    await reader.open()
    await reader.element.get_by_role("button", name="Preferences").click()
    comments = reader.panel.get_by_role("group", name="Comments")
    email = comments.get_by_role("switch", name="Email")
    await expect(email).to_be_checked()
    await email.click()
    await expect(email).not_to_be_checked()
    await expect(page.locator("#events")).to_contain_text(
        "tidings:preference inbox-demo-comment, email: off"
    )
    invitations = reader.panel.get_by_role("group", name="Invitations")
    await expect(invitations.get_by_role("switch")).to_have_count(1)
    security = reader.panel.get_by_role("group", name="Security")
    await expect(security.get_by_role("switch").first).to_be_disabled()
    await check_access(page)

    everything = reader.panel.get_by_role("group", name="Everything")
    await everything.get_by_role("switch", name="Email").click()
    await expect(everything.get_by_role("switch", name="Email")).not_to_be_checked()
    await everything.get_by_role("switch", name="Email").click()
    await expect(email).to_be_checked()
    await reader.element.get_by_role("button", name="Back").click()
    await expect(reader.item("One")).to_be_visible()


async def test_what_a_subscriber_switched_off_does_not_arrive(page: Page) -> None:
    await send(page, "One")
    reader = await visit(page)
    await reader.expect_unread(1)
    await reader.open()
    await reader.element.get_by_role("button", name="Preferences").click()
    switch = reader.panel.get_by_role("group", name="Comments").get_by_role("switch", name="In-app")
    await switch.click()
    await expect(switch).not_to_be_checked()
    await send(page, "Unwanted", "", "comment")
    await send(page, "Wanted", "", "invitation")
    await reader.expect_unread(2)
    await reader.element.get_by_role("button", name="Back").click()
    await expect(reader.item("Wanted")).to_be_visible()
    await expect(reader.item("Unwanted")).to_have_count(0)


async def test_with_the_keyboard_alone(page: Page) -> None:
    for title in ("Three", "Two", "One"):
        await send(page, title)
        reader = await visit(page)
    await reader.expect_unread(3)
    keys = page.keyboard
    await keys.press("Tab")
    assert await reader.focused() == "Notifications, 3 unread"
    await keys.press("Enter")
    await expect(reader.items).to_have_count(3)
    await expect(reader.items.first).to_be_focused()
    await keys.press("ArrowDown")
    await expect(reader.items.nth(1)).to_be_focused()
    await keys.press("End")
    await expect(reader.items.nth(2)).to_be_focused()
    await keys.press("Home")
    await keys.press("Enter")
    await reader.expect_unread(2)
    await expect(reader.items.first).to_be_focused()

    await keys.press("Tab")
    assert await reader.focused() == "Mark as unread"
    await keys.press("Tab")
    assert await reader.focused() == "Snooze"
    await keys.press("Enter")
    assert await reader.focused() == "In an hour"
    await keys.press("Escape")
    assert await reader.focused() == "Snooze"
    await keys.press("Tab")
    assert await reader.focused() == "Archive"
    await keys.press("Enter")
    await expect(reader.items).to_have_count(2)
    await expect(reader.items.first).to_be_focused()

    await keys.press("ArrowUp")
    assert (await reader.focused()).startswith("All")
    await keys.press("ArrowRight")
    assert (await reader.focused()).startswith("Unread")
    await keys.press("ArrowRight")
    await expect(reader.items).to_have_count(1)
    await keys.press("Escape")
    await expect(reader.panel).to_be_hidden()
    assert await reader.focused() == "Notifications, 2 unread"


async def test_preferences_with_the_keyboard_alone(page: Page) -> None:
    await send(page, "One")
    reader = await visit(page)
    await reader.expect_unread(1)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(reader.items.first).to_be_focused()
    for _ in range(3):
        await page.keyboard.press("Shift+Tab")
    assert await reader.focused() == "Preferences"
    await page.keyboard.press("Enter")
    assert await reader.focused() == "Back"
    await expect(reader.panel.get_by_role("switch").first).to_be_visible()
    for _ in range(2):
        await page.keyboard.press("Tab")
    first = reader.panel.get_by_role("switch").first
    await expect(first).to_be_focused()
    await page.keyboard.press("Space")
    await expect(first).not_to_be_checked()
    await expect(first).to_be_focused()
    await page.keyboard.press("Escape")
    assert await reader.focused() == "Preferences"


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
async def test_everybody_can_use_it_in_every_state(visits: Visits, width: str, scheme: str) -> None:
    page = await visits.open(width, scheme)
    await send(page, "Plain", "With a text that is long enough to need a second line or a third.")
    await send(page, "Join us", "Please", "invitation")
    await send(page, "Alarm", "Look", "alarm")
    reader = await visit(page)
    await reader.expect_unread(3)
    await check_access(page)
    await reader.open()
    await expect(reader.items).to_have_count(3)
    await check_access(page)
    await check_fits(page)
    await reader.press("Plain", "Snooze")
    await check_access(page)
    await page.keyboard.press("Escape")
    await reader.press("Join us", "Delete")
    await check_access(page)
    await page.keyboard.press("Escape")
    await reader.press("Plain", "Mark as read")
    await reader.item("Join us").get_by_role("button", name="Accept").click()
    await expect(reader.item("Join us").get_by_role("button", name="done")).to_be_visible()
    await check_access(page)
    await reader.press("Plain", "Archive")
    await expect(reader.notice).to_be_visible()
    await check_access(page)
    await reader.view("Snoozed")
    await expect(reader.panel).to_contain_text("Nothing snoozed")
    await check_access(page)
    await check_fits(page)


async def test_on_a_narrow_screen_it_is_a_sheet(visits: Visits) -> None:
    page = await visits.open("narrow")
    await send(page, "Hello", "W" * 80)
    reader = await visit(page)
    await reader.expect_unread(1)
    await reader.open()
    box = await reader.panel.bounding_box()
    assert box == {"x": 0, "y": 0, "width": 360, "height": 740}
    await expect(reader.panel).to_have_attribute("aria-modal", "true")
    await check_fits(page)
    inner, outer = await reader.element.locator(".scroll").evaluate(
        "node => [node.scrollWidth, node.clientWidth]"
    )
    assert inner <= outer
    for _ in range(12):
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.localName") == "tidings-inbox"
        assert "Notifications" not in await reader.focused()
    await reader.element.get_by_role("button", name="Close").click()
    await expect(reader.panel).to_be_hidden()
    await expect(reader.bell).to_be_focused()


async def test_from_right_to_left(page: Page) -> None:
    await send(page, "مرحبا", "كيف الحال؟")
    reader = await visit(page, dir="rtl", lang="ar")
    await reader.expect_unread(1)
    await reader.open()
    await expect(reader.items).to_have_count(1)
    await check_access(page)
    await check_fits(page)
    bell, panel = await reader.bell.bounding_box(), await reader.panel.bounding_box()
    assert bell
    assert panel
    assert abs(bell["x"] - panel["x"]) < 1
    dot = await reader.items.locator(".dot").bounding_box()
    text = await reader.items.locator(".text").bounding_box()
    assert dot
    assert text
    assert dot["x"] > text["x"] + text["width"]
    await reader.element.get_by_role("tab", name="All").focus()
    await page.keyboard.press("ArrowLeft")
    assert (await reader.focused()).startswith("Unread")


async def test_dark_by_the_readers_wish_or_the_pages(visits: Visits) -> None:
    async def ground(scheme: str, theme: str) -> int:
        page = await visits.open(scheme=scheme)
        reader = await visit(page, theme=theme)
        await reader.open()
        colour: str = await reader.panel.evaluate("node => getComputedStyle(node).backgroundColor")
        return sum(int(part) for part in colour.strip("rgb()").split(","))

    assert await ground("light", "auto") == 3 * 255
    assert await ground("dark", "auto") < 150
    assert await ground("light", "dark") < 150
    assert await ground("dark", "light") == 3 * 255


async def test_in_another_language(page: Page) -> None:
    reader = await visit(page, lang="de")
    await reader.open()
    await expect(reader.panel).to_contain_text("Noch nichts da")
    await reader.element.evaluate("node => { node.labels = {emptyAll: 'Gähnende Leere'} }")
    await expect(reader.panel).to_contain_text("Gähnende Leere")
    await page.evaluate(
        "document.documentElement.lang = 'nl';"
        " document.querySelector('tidings-inbox').removeAttribute('labels');"
        " customElements.get('tidings-inbox').addLanguage('nl', {title: 'Meldingen'})"
    )
    await expect(reader.panel).to_contain_text("Meldingen")
    await expect(reader.panel).to_contain_text("Nothing here yet")


async def test_within_the_page_instead_of_behind_a_bell(page: Page) -> None:
    await send(page, "Hello")
    reader = await visit(page, placement="inline")
    await expect(reader.bell).to_be_hidden()
    await expect(reader.element.get_by_role("region", name="Notifications")).to_be_visible()
    await expect(reader.item("Hello")).to_be_visible()
    await check_access(page)


async def test_two_windows_show_the_same(visits: Visits) -> None:
    """Of two browsers, and of two tabs of one browser, which share one connection."""
    first = await visits.open()
    streams: list[Request] = []
    first.context.on(
        "request", lambda request: streams.append(request) if "/stream" in request.url else None
    )
    await send(first, "Hello")
    one = await visit(first)
    tab = await first.context.new_page()
    two = await visit(tab)
    three = await visit(await visits.open())
    four = await visit(await visits.open(), "ben")
    for reader in (one, two, three):
        await reader.expect_unread(1)
        await reader.open()
        await expect(reader.items).to_have_count(1)
    await one.press("Hello", "Archive")
    for reader in (one, two, three):
        await reader.expect_unread(0)
        await expect(reader.items).to_have_count(0)
    await send(first, "Again")
    for reader in (one, two, three):
        await reader.expect_unread(1)
        await expect(reader.item("Again")).to_be_visible()
    await four.expect_unread(0)
    assert len(streams) == 1


async def test_the_demonstration_triggers_and_shows(page: Page) -> None:
    await page.goto("/demo/inbox")
    frames = [Reader(frame) for frame in page.frames[1:]]  # type: ignore[arg-type]
    assert len(frames) == 2
    for frame in frames:
        await expect(frame.page.locator("#events")).to_contain_text("tidings:ready")
    await check_access(page)
    await page.get_by_label("Invitation, with buttons").check()
    await page.get_by_label("Title").fill("Come over")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("status").first).to_contain_text("Accepted as")
    for frame in frames:
        await frame.expect_unread(1)
    await page.get_by_role("checkbox", name="Ben").uncheck()
    await page.get_by_role("button", name="Send").click()
    await frames[0].expect_unread(2)
    await frames[1].expect_unread(1)


NASTY = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<svg onload='window.hacked = 1'><a href='javascript:window.hacked=1'>x</a></svg>",
    "<a href='javascript:window.hacked = 1'>press</a>",
    "<a href=' java\nscript:window.hacked = 1'>press</a>",
    "<a href='data:text/html,<script>parent.hacked=1</script>'>press</a>",
    "<iframe srcdoc='<script>parent.hacked = 1</script>'></iframe>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1>",
    "<noscript><p title='</noscript><img src=x onerror=window.hacked=1>'>",
    "<template><script>window.hacked = 1</script></template>",
    "<details open ontoggle=window.hacked=1>x</details>",
    "<form action='javascript:window.hacked=1'><button>x</button></form>",
    "<input autofocus onfocus=window.hacked=1>",
    "<style>@import 'http://elsewhere.example/x.css'; * { display: none }</style>",
    "<link rel=stylesheet href=http://elsewhere.example/x.css>",
    "<b onclick=window.hacked=1 style='position:fixed;inset:0'>bold</b>",
    "'\"><img src=x onerror=window.hacked=1>",
    "{{constructor.constructor('window.hacked=1')()}}",
]


@pytest.mark.parametrize("format", ["text", "html"])
async def test_nothing_in_a_message_is_carried_out(page: Page, format: str) -> None:
    """Whatever a workflow lets through: here it was told to sanitise nothing."""
    nasty_link = "javascript:window.hacked=1"
    await _nasty_workflow(page, format)
    for text in NASTY:
        body = {"name": "nasty", "to": "demo-anna", "payload": {"text": text, "url": nasty_link}}
        await call(page, "POST", "/v1/events/trigger", body)
    reader = await visit(page)
    await reader.expect_unread(len(NASTY))
    await reader.open()
    await expect(reader.items).to_have_count(10)
    await reader.scroll_down()
    await expect(reader.items).to_have_count(len(NASTY))
    for link in await reader.items.locator(".body a").all():
        await link.click()
    for item in await reader.items.all():
        await item.click()
    assert await page.evaluate("window.hacked") is None
    foreign = reader.items.locator(
        "script, img, iframe, form, style, link, input, details, math, svg a, [onclick], [onerror],"
        " .body [style], .body [class], [href^='javascript'], [href^='data']"
    )
    await expect(foreign).to_have_count(0)
    if format == "text":
        await expect(reader.item("<img src=x onerror='window.hacked = 1'>")).to_be_visible()
    else:
        await expect(reader.items.locator(".body b")).to_have_text(["bold"])


async def _nasty_workflow(page: Page, format: str) -> None:
    controls: dict[str, Any] = {
        "subject": "{{payload.text}}",
        "body": "{{payload.text}}",
        "avatar": "{{payload.url}}",
        "redirect": {"url": "{{payload.url}}", "target": "_self"},
        "primaryAction": {"label": "{{payload.text}}", "redirect": {"url": "{{payload.url}}"}},
        "disableOutputSanitization": True,
        "data": {"format": format},
    }
    step = {"name": "Inbox", "type": "in_app", "controlValues": controls}
    workflow = {"workflowId": "nasty", "name": "Nasty", "active": True, "steps": [step]}
    await call(page, "POST", "/v2/workflows", workflow)


async def test_a_link_that_reaches_the_browser_is_still_looked_at(page: Page) -> None:
    """The server refuses such addresses; this is what the element does if one came through."""
    await send(page, "Alarm", "Look", "alarm")

    async def tamper(route: Route) -> None:
        answer = await route.fetch()
        body = await answer.json()
        for each in body["data"]:
            each["redirect"] = {"url": "javascript:window.hacked=1", "target": "_self"}
            each["avatar"] = "javascript:window.hacked=1"
        await route.fulfill(response=answer, body=json.dumps(body))

    await page.route("**/v1/inbox/notifications?*", tamper)
    reader = await visit(page)
    await reader.open()
    await reader.item("Alarm").click()
    await reader.expect_unread(0)
    assert await page.evaluate("window.hacked") is None
    await expect(reader.items.locator("a, img")).to_have_count(0)
    await page.unroute_all(behavior="ignoreErrors")


async def test_without_a_stream_it_asks_now_and_then(page: Page) -> None:
    await page.route("**/v1/inbox/stream", lambda route: route.fulfill(status=404, json={}))
    reader = await visit(page)
    await reader.element.evaluate(
        "node => new Promise(resolve => {"
        " node.addEventListener('tidings:ready', resolve, {once: true});"
        " node.setAttribute('poll-seconds', '0.3') })"
    )
    await send(page, "Hello")
    await reader.expect_unread(1)
    await expect(page.locator("#events")).to_contain_text("tidings:message Hello")


async def test_what_comes_while_it_looks_is_told_without_a_stream_too(page: Page) -> None:
    await page.route("**/v1/inbox/stream", lambda route: route.fulfill(status=404, json={}))
    reader = await visit(page)
    held, released = asyncio.Event(), asyncio.Event()

    async def hold_the_first(route: Route) -> None:
        answer = await route.fetch()
        if not held.is_set():
            held.set()
            await released.wait()
        await route.fulfill(response=answer)

    await page.route("**/v1/inbox/notifications?*", hold_the_first)
    for count, title in enumerate(("First", "Second"), start=1):
        await send(page, title)
        await _until_stored(page, count)
        await reader.element.evaluate("inbox => { inbox.refresh() }")
        await reader.expect_unread(count)
        await asyncio.wait_for(held.wait(), DEADLINE)
    released.set()
    await expect(page.locator("#events")).to_contain_text("tidings:message First")
    await expect(page.locator("#events")).to_contain_text("tidings:message Second")


async def test_a_message_that_comes_before_the_stream_is_told(page: Page) -> None:
    asked, released = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await released.wait()
        await route.continue_()

    await page.route("**/v1/inbox/stream", hold)
    reader = await visit(page)
    await asyncio.wait_for(asked.wait(), DEADLINE)
    await send(page, "Hello")
    await _until_stored(page, 1)
    released.set()
    await reader.expect_unread(1)
    await expect(page.locator("#events")).to_contain_text("tidings:message Hello")


async def test_a_message_told_twice_is_announced_once(page: Page) -> None:
    """A stream that goes on after an interruption tells the last seconds again."""
    ids: list[str] = []

    async def tell(route: Route) -> None:
        told = [json.dumps({"message": {"_id": id}}) for id in ids]
        news = "".join(f"event: notification_received\ndata: {each}\n\n" for each in told)
        await route.fulfill(content_type="text/event-stream", body=f"id: 1\n\n{news}")

    await page.route("**/v1/inbox/stream", tell)
    await visit(page)
    events = page.locator("#events")
    for count, title in enumerate(("First", "Second"), start=1):
        await send(page, title)
        ids = await _until_stored(page, count)
        await expect(events).to_contain_text(f"tidings:message {title}")
    await expect(events.get_by_text("tidings:message First")).to_have_count(1)


async def _until_stored(page: Page, count: int) -> list[str]:
    """The ids of the messages, as soon as there are so many."""
    ids: list[str] = []

    async def stored() -> bool:
        found = (await call(page, "GET", "/v1/messages"))["data"]
        ids[:] = [each["_id"] for each in found]
        return len(ids) == count

    await until_async(stored)
    return ids


class TestWhatIsWrongIsSaid:
    async def test_an_unknown_application(self, page: Page) -> None:
        await page.goto("/demo/inbox/window/anna")
        reader = Reader(page)
        await reader.element.evaluate(
            "node => node.setAttribute('application-identifier', 'nowhere')"
        )
        await reader.open()
        await expect(reader.panel).to_contain_text("There is no application 'nowhere'")
        await expect(page.locator("#events")).to_contain_text("tidings:error")
        await check_access(page)

    async def test_a_wrong_hash(self, page: Page) -> None:
        await page.goto("/demo/inbox/window/anna")
        reader = Reader(page)
        await reader.element.evaluate("node => node.setAttribute('subscriber-hash', 'ab')")
        await reader.open()
        await expect(reader.panel).to_contain_text("The subscriberHash does not fit")

    async def test_a_missing_attribute(self, page: Page) -> None:
        await page.goto("/demo/inbox/window/anna")
        reader = Reader(page)
        await reader.element.evaluate("node => node.removeAttribute('subscriber-id')")
        await reader.open()
        await expect(reader.panel).to_contain_text("The attribute subscriber-id is missing")

    async def test_a_server_that_is_away_and_comes_back(self, page: Page) -> None:
        await page.route("**/v1/inbox/session", lambda route: route.abort())
        await page.goto("/demo/inbox/window/anna")
        reader = Reader(page)
        await reader.open()
        await expect(reader.panel).to_contain_text("cannot be reached")
        await page.unroute("**/v1/inbox/session")
        await reader.element.get_by_role("button", name="Try again").click()
        await expect(reader.panel).to_contain_text("Nothing here yet")


async def test_a_session_that_ran_out_is_opened_again(page: Page) -> None:
    await send(page, "Hello")
    reader = await visit(page)
    await reader.expect_unread(1)
    refused: list[str] = []

    async def refuse_once(route: Route) -> None:
        refused.append(route.request.url)
        if len(refused) == 1:
            await route.fulfill(status=401, json={"message": "run out"})
        else:
            await route.continue_()

    await page.route("**/v1/inbox/notifications?*", refuse_once)
    await reader.open()
    await expect(reader.item("Hello")).to_be_visible()
    assert len(refused) >= 2
    await page.unroute_all(behavior="ignoreErrors")


_STRICT = "default-src 'none'; script-src {0}; connect-src {0}; img-src {0}"


async def test_on_the_page_of_another_site(browser: Browser, base: str, page: Page) -> None:
    """With a policy that allows nothing but what the guide says."""
    await send(page, "Hello")
    window = await (await page.request.get("/demo/inbox/window/anna")).text()
    element = window[window.index("<tidings-inbox") : window.index("</header>")]
    host = (
        f'<!doctype html><html lang="en"><title>Shop</title>'
        f'<script type="module" src="{base}/inbox.js"></script>{element}'
    )
    policy = {"Content-Security-Policy": _STRICT.format(base)}
    context = await browser.new_context()
    elsewhere = await context.new_page()
    problems: list[str] = []
    elsewhere.on("pageerror", lambda error: problems.append(str(error)))
    elsewhere.on(
        "console",
        lambda said: problems.append(said.text) if "Security Policy" in said.text else None,
    )
    with site({"/": Served(host.encode(), headers=policy)}) as shop:
        await elsewhere.goto(shop)
        reader = Reader(elsewhere)
        await reader.expect_unread(1)
        await reader.open()
        await reader.press("Hello", "Mark as read")
        await reader.expect_unread(0)
        await context.close()
    assert not problems
