from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, expect

from tests.browser.conftest import SignIn, session_of
from tests.browser.service import running
from tests.browser.test_gate import caller, csrf_of
from tests.browser.test_integrations import connect
from tests.browser.visiting import check_looks, check_page
from tests.browser.xss import check_inert, corpus
from tests.conftest import make_world
from tidings.domain.audit import Filter
from tidings.domain.catching import Attached, Caught
from tidings.domain.paging import Asked
from tidings.domain.scope import Scope
from tidings.settings import Settings
from tidings.storage import audit, catching
from tidings.storage.database import Database

WORLD = make_world()
HTML = (
    "<!doctype html><html><body style='font-family:sans-serif;background:#f4f4f7;padding:24px'>"
    "<div style='max-width:480px;margin:auto;background:#fff;padding:24px;border-radius:8px'>"
    "<h1 style='color:#3350c8'>Your order is on its way</h1><p>Dear Ada, parcel 42 left our house."
    "</p></div></body></html>"
)
EMAIL: dict[str, Any] = {
    "channel": "email",
    "recipients": ("ada@example.com",),
    "subject": "Your order is on its way",
    "html": HTML,
    "text": "Dear Ada, parcel 42 left our house.",
    "headers": {"From": "Shop <news@example.com>", "Reply-To": "help@example.com", "X-Tag": "o"},
    "attachments": (Attached(name="invoice.pdf", mime="application/pdf", size=20480),),
    "transaction_id": "txn_42",
    "subscriber_key": "ada",
}
SMS: dict[str, Any] = {
    "channel": "sms",
    "recipients": ("+4915112345678",),
    "content": "Your code is 123456. Do not tell it to anybody.",
    "subscriber_key": "ada",
}
PUSH: dict[str, Any] = {
    "channel": "push",
    "subject": "Parcel 42",
    "content": "It arrives between 2 and 4 in the afternoon.",
}
CHAT: dict[str, Any] = {
    "channel": "chat",
    "recipients": ("https://chat.example.com/hooks/a-room",),
    "content": "Deployment finished.\nEverything is green.",
}


async def catch(database: Database, scope: Scope, **values: Any) -> str:
    caught = Caught(id=WORLD.ids.new(), created_at=WORLD.clock.now(), **values)
    async with database.transaction() as tx:
        await catching.add(tx, [(scope, caught)])
    return caught.id


async def test_the_pages_look_well(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/catcher")
    await expect(page.get_by_role("heading", name="Nothing caught yet")).to_be_visible()
    await check_looks(page, "catcher-empty")
    ids = {each["channel"]: await catch(database, scope, **each) for each in (EMAIL, SMS, PUSH)}
    ids["chat"] = await catch(database, scope, **CHAT)
    await page.goto(f"{home}/catcher")
    await check_looks(page, "catcher")
    for channel, id in ids.items():
        await page.goto(f"{home}/catcher/{id}")
        await page.get_by_role("region", name="The message").scroll_into_view_if_needed()
        await page.evaluate("scrollTo(0, 0)")
        await check_looks(page, f"catcher-{channel}")
    for show in ("show=text", "show=source", "show=headers", "width=phone"):
        await page.goto(f"{home}/catcher/{ids['email']}?{show}")
        await check_looks(page, f"catcher-email-{show.split('=')[1]}")


@pytest.mark.parametrize("javascript", [True, False])
async def test_a_caught_mail_is_shown_in_every_way(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    await catch(database, scope, **EMAIL)
    page = await signed_in("viewer", javascript=javascript)
    await page.goto(f"{home}/catcher")
    await page.get_by_role("link", name="Your order is on its way").click()
    await expect(page.get_by_text("Shop <news@example.com>")).to_be_visible()
    await expect(page.get_by_text("invoice.pdf")).to_be_visible()
    framed = page.frame_locator("iframe")
    await expect(framed.get_by_role("heading")).to_have_text("Your order is on its way")
    await page.get_by_role("link", name="Text", exact=True).click()
    await expect(page.locator("#said")).to_have_text(EMAIL["text"])
    await page.get_by_role("link", name="Source").click()
    await expect(page.locator("#said")).to_contain_text("<h1 style=")
    await page.get_by_role("link", name="Headers").click()
    await expect(page.get_by_text("help@example.com")).to_be_visible()


async def test_a_long_source_is_cut_and_can_be_opened(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    id = await catch(database, scope, **{**EMAIL, "html": "<p>Long</p>" * 20_000})
    page = await signed_in("viewer")
    await page.goto(f"{home}/catcher/{id}?show=source")
    await check_page(page)
    await page.get_by_role("link", name="Open all 220,000 characters").click()
    assert len(await page.locator("body").inner_text()) == 220_000


async def test_long_words_fit_a_narrow_window(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    long = "x" * 2000
    said = {"recipients": (long,) * 9, "subject": long, "text": long, "subscriber_key": long}
    mail = await catch(database, scope, channel="email", headers={long: long}, **said)
    other = [
        await catch(database, scope, channel=channel, content=long, **said)
        for channel in ("sms", "push", "chat")
    ]
    page = await signed_in("editor", "narrow")
    for path in ("", f"/{mail}", f"/{mail}?show=headers", *(f"/{id}" for id in other)):
        await page.goto(f"{home}/catcher{path}")
        await check_page(page)


async def test_new_messages_appear_by_themselves(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("viewer")
    await page.goto(f"{home}/catcher")
    await catch(database, scope, **EMAIL)
    rows = page.locator(".caught")
    await expect(rows).to_have_count(1, timeout=20_000)
    await page.evaluate("window.__same = true")
    await catch(database, scope, **SMS)
    await catch(database, scope, **PUSH)
    await expect(rows).to_have_count(3, timeout=20_000)
    await expect(rows.first).to_contain_text("Parcel 42")
    assert await page.evaluate("window.__same"), "the page itself stays"


async def test_asking_for_what_is_newer_costs_little(
    base: str, database: Database, scope: Scope, home: str
) -> None:
    first = await catch(database, scope, **EMAIL)
    async with caller(base, await session_of(database, "viewer")) as client:
        path = f"{home}/catcher/newer"
        nothing = await client.get(path, params={"than": first})
        assert (nothing.status_code, nothing.content) == (204, b"")
        await catch(database, scope, **SMS)
        news = (await client.get(path, params={"than": first})).text
        assert "Your code is 123456" in news
        assert "Your order" not in news
        other = await client.get(path, params={"than": first, "channel": "push"})
        assert other.status_code == 204


async def test_messages_are_filtered(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    for each in (EMAIL, SMS, PUSH, CHAT):
        await catch(database, scope, **each)
    page = await signed_in("viewer")
    await page.goto(f"{home}/catcher")
    rows = page.locator(".caught")
    await page.get_by_label("Channel").select_option("SMS")
    await expect(rows).to_have_count(1)
    await page.get_by_label("Channel").select_option("")
    await expect(rows).to_have_count(4)
    await page.get_by_label("Recipient").fill("ADA@")
    await page.get_by_role("button", name="Filter").click()
    await expect(rows).to_have_count(1)
    await page.get_by_label("Recipient").fill("")
    await page.get_by_label("Contains").fill("EVERYTHING is")
    await page.get_by_role("button", name="Filter").click()
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Deployment finished.")
    await page.get_by_label("Contains").fill("nowhere")
    await page.get_by_role("button", name="Filter").click()
    await page.get_by_role("link", name="Show all").click()
    await expect(rows).to_have_count(4)


async def test_older_messages_are_on_further_pages(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    for number in range(45):
        await catch(database, scope, **{**SMS, "content": f"Number {number}"})
    page = await signed_in("viewer", javascript=False)
    await page.goto(f"{home}/catcher")
    await expect(page.locator(".caught")).to_have_count(40)
    await page.get_by_role("link", name="Older").click()
    await expect(page.locator(".caught")).to_have_count(5)
    await expect(page.locator(".caught").first).to_contain_text("Number 4")
    await page.get_by_role("link", name="Newest").click()
    await expect(page.locator(".caught").first).to_contain_text("Number 44")


@pytest.mark.parametrize("javascript", [True, False])
async def test_one_or_all_are_deleted(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    for each in (EMAIL, SMS, PUSH):
        await catch(database, scope, **each)
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/catcher")
    await page.get_by_role("link", name="Your order is on its way").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete this message?")
    await expect(dialog).to_contain_text("ada@example.com")
    await dialog.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("status")).to_contain_text("The message is deleted.")
    await expect(page.locator(".caught")).to_have_count(2)
    await page.get_by_role("button", name="Delete all").click()
    await page.get_by_role("button", name="Delete them all").click()
    await expect(page.get_by_role("status")).to_contain_text("The catcher is empty.")
    await expect(page.get_by_role("heading", name="Nothing caught yet")).to_be_visible()
    async with database.connection() as connection:
        found = await audit.page(connection, scope.organization_id, Filter(), Asked())
    assert [(each.action, each.target_name) for each in found.items] == [
        ("catcher.clear", "all caught messages"),
        ("catcher.delete_message", "Your order is on its way"),
    ]


async def test_a_viewer_deletes_nothing(
    signed_in: SignIn, base: str, database: Database, scope: Scope, home: str
) -> None:
    id = await catch(database, scope, **EMAIL)
    page = await signed_in("viewer")
    for path in ("", f"/{id}"):
        await page.goto(f"{home}/catcher{path}")
        assert await page.locator("main form[method=post]").count() == 0
    async with caller(base, await session_of(database, "viewer")) as client:
        token = await csrf_of(client)
        for path in ("clear", f"{id}/delete"):
            answer = await client.post(f"{home}/catcher/{path}", data={"csrf": token})
            assert answer.status_code == 403
    async with database.connection() as connection:
        assert await catching.any_there(connection, scope)


async def test_other_environments_keep_theirs_to_themselves(
    base: str, database: Database, other_scope: Scope, home: str
) -> None:
    id = await catch(database, other_scope, **EMAIL)
    async with caller(base, await session_of(database, "owner")) as client:
        assert "Your order" not in (await client.get(f"{home}/catcher")).text
        for path in (id, f"{id}/html", f"{id}/whole/text"):
            assert (await client.get(f"{home}/catcher/{path}")).status_code == 404


async def test_channels_with_an_integration_are_named(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    keys = {"accountSid": "AC1", "token": "t" * 20, "from": "+15005550006"}
    await connect(database, scope, "twilio", credentials=keys, active=True)
    page = await signed_in("viewer")
    await page.goto(f"{home}/catcher")
    await expect(page.locator(".notice")).to_contain_text("SMS has an active integration")


async def test_production_says_why_it_is_empty(
    url: str, settings: Settings, database: Database, home: str
) -> None:
    with running(url, replace(settings, mode="production")) as base:
        async with httpx.AsyncClient(
            base_url=base, cookies={"tidings_session": await session_of(database, "viewer")}
        ) as client:
            page = (await client.get(f"{home}/catcher")).text
    assert "runs in production mode, so nothing is caught" in page
    assert "TIDINGS_MODE=development" in page


async def test_nothing_that_is_caught_runs(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    ids = []
    for text in corpus():
        said = {"recipients": (text,), "subject": text, "subscriber_key": text}
        attached = (Attached(name=text, mime=text, size=1),)
        mail = {"text": text, "headers": {text: text, "From": text}, "attachments": attached}
        ids.append(await catch(database, scope, channel="email", **said, **mail))
        for channel in ("sms", "push", "chat"):
            ids.append(await catch(database, scope, channel=channel, content=text, **said))
    page = await signed_in("editor")
    for path in ("", f"?search={corpus()[1]}&recipient={corpus()[6]}"):
        await page.goto(f"{home}/catcher{path}")
        await check_inert(page)
    for id in ids[:12]:
        await page.goto(f"{home}/catcher/{id}")
        await check_inert(page)
    await page.goto(f"{home}/catcher/{ids[0]}?show=headers")
    await check_inert(page)


async def test_html_of_others_can_show_itself_and_no_more(
    browser: Browser, base: str, database: Database, scope: Scope, home: str
) -> None:
    """In a browser of its own: what is refused is reported as an error, as it should be."""
    body = "<p>Shown</p><meta http-equiv=refresh content='0;url=/dashboard/users'>"
    id = await catch(database, scope, **{**EMAIL, "html": body + "".join(corpus())})
    context = await browser.new_context(base_url=base)
    token = await session_of(database, "owner")
    await context.add_cookies([{"name": "tidings_session", "value": token, "url": base}])
    page = await context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{home}/catcher/{id}", wait_until="networkidle")
    await expect(page.frame_locator("iframe").locator("p").first).to_have_text("Shown")
    assert await page.evaluate("window.__ran") is None
    assert await page.frames[1].evaluate("window.__ran") is None
    assert not [each for each in asked if "users" in each or not each.startswith(base)]
    await page.goto(f"{home}/catcher/{id}/html", wait_until="networkidle")
    assert await page.evaluate("window.__ran") is None
    await page.goto(f"{home}/catcher/{id}/whole/source")
    assert await page.evaluate("window.__ran") is None
    await context.close()
