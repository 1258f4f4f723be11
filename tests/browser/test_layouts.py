"""The pages about layouts, as people use them."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import SignIn
from tests.browser.test_workflows import MAIL, seed
from tests.browser.visiting import check_looks
from tests.browser.xss import check_inert, corpus
from tests.conftest import make_world
from tidings.actions import layouts as actions
from tidings.actions.layouts import Wishes
from tidings.domain.layouts import Layout
from tidings.domain.scope import Scope
from tidings.storage import layouts
from tidings.storage.database import Database

_HTML = "<table><tr><td>Shop</td></tr><tr><td>{{ content }}</td></tr></table>"


async def _add(database: Database, scope: Scope, key: str, name: str, body: str = _HTML) -> Layout:
    async with database.transaction() as tx:
        return await actions.create(tx, scope, make_world(), key, Wishes(name=name, body=body))


async def test_the_pages_look_well(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await _add(database, scope, "shop", "Shop")
    await _add(database, scope, "plain", "Plain")
    page = await signed_in("editor")
    for name, path in (("layouts", ""), ("new-layout", "/new"), ("layout", "/shop")):
        answer = await page.goto(f"{home}/layouts{path}")
        assert answer is not None
        assert answer.ok
        await check_looks(page, f"layouts/{name}")


@pytest.mark.parametrize("javascript", [True, False])
async def test_a_layout_is_made_edited_and_previewed(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/layouts")
    await page.get_by_role("link", name="Make the first layout").click()
    await page.get_by_label("Name").fill("Our shop")
    await page.get_by_role("button", name="Make the layout").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Our shop default")
    await page.get_by_label("HTML", exact=True).last.fill("<p>No place for it</p>")
    await page.get_by_role("button", name="Save the layout").click()
    await expect(page.locator("#i-body")).to_contain_text("no place for the message")
    await page.get_by_label("HTML", exact=True).last.fill("<h2>Shop</h2>{{ content }}")
    await page.get_by_role("button", name="Save the layout").click()
    await expect(page.get_by_role("status")).to_contain_text("The layout is saved.")
    frame = page.frame_locator(".mail-frame")
    await expect(frame.locator("h2")).to_have_text("Shop")
    await expect(frame.locator("body")).to_contain_text("The body of the e-mail goes here.")
    async with database.connection() as connection:
        stored = await layouts.get(connection, scope, "our-shop")
    assert (stored.body, stored.is_default) == ("<h2>Shop</h2>{{ content }}", True)


async def test_the_default_changes_and_one_in_use_is_not_deleted(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await _add(database, scope, "shop", "Shop")
    await _add(database, scope, "plain", "Plain")
    await seed(database, scope, steps=[("Mail", "email", {**MAIL, "layoutId": "shop"})])
    page = await signed_in("editor")
    await page.goto(f"{home}/layouts")
    await page.get_by_role("button", name="Make it the default").click()
    await expect(page.get_by_role("status")).to_contain_text("sent in Plain now")
    await page.get_by_role("link", name="Shop").first.click()
    await page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete “Shop”?")
    await expect(dialog).to_contain_text("It is used by Order shipped.")
    await dialog.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("alert")).to_contain_text("is used by order-shipped")


async def test_a_layout_of_blocks_keeps_a_place_for_the_e_mail(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/layouts/new")
    await page.get_by_label("Name").fill("Blocks")
    await page.get_by_role("radio", name="Blocks").check()
    await page.get_by_role("button", name="Make the layout").click()
    await page.get_by_role("button", name="+ Small print").click()
    await page.locator("#b-1-text").fill("You asked for this.")
    await page.get_by_role("button", name="Save the layout").click()
    await expect(page.get_by_role("status")).to_contain_text("The layout is saved.")
    body = page.frame_locator(".mail-frame").locator("body")
    await expect(body).to_contain_text("The body of the e-mail goes here.")
    await expect(body).to_contain_text("You asked for this.")


async def test_viewers_cannot_change_layouts_and_hostile_texts_stay_texts(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    hostile = "\n".join(text for text in corpus() if "{%" not in text and "{{" not in text)
    made = await _add(database, scope, "shop", corpus()[1], hostile + "{{ content }}")
    page = await signed_in("viewer")
    for path in ("layouts", "layouts/shop"):
        await page.goto(f"{home}/{path}")
        await page.wait_for_load_state("networkidle")
        await check_inert(page)
    await expect(page.get_by_label("Name")).to_be_disabled()
    token = str(await page.locator("meta[name=csrf]").get_attribute("content"))
    for path in ("", "/default", "/delete", "/draft"):
        answer = await page.request.post(
            f"{home}/layouts/shop{path}", form={"csrf": token, "name": "x"}
        )
        assert answer.status == 403, path
    async with database.connection() as connection:
        assert await layouts.get(connection, scope, "shop") == made
