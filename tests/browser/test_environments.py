import pytest
from playwright.async_api import expect

from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks
from tidings.domain.audit import Filter
from tidings.domain.paging import Asked
from tidings.domain.scope import Scope
from tidings.storage import audit, environments
from tidings.storage.database import Database


async def test_the_pages_look_well(signed_in: SignIn) -> None:
    page = await signed_in("owner")
    for path, name in (("", "environments"), ("/new", "new-environment")):
        await page.goto(f"/dashboard/environments{path}")
        await check_looks(page, name)
    await page.goto("/dashboard/environments")
    await page.get_by_role("link", name="Development").last.click()
    await check_looks(page, "environment")


@pytest.mark.parametrize("javascript", [True, False])
async def test_an_owner_makes_a_key_once_shown_and_revokes_it(
    signed_in: SignIn, database: Database, scope: Scope, javascript: bool
) -> None:
    page = await signed_in("owner", javascript=javascript)
    await page.goto(f"/dashboard/environments/{scope.environment_id}")
    await page.get_by_label("What it is for").fill("Billing")
    await page.get_by_role("button", name="Make the key").click()
    secret = await page.locator("#secret").inner_text()
    assert secret.startswith("tdg_")
    row = page.get_by_role("row", name="Billing")
    await row.get_by_role("button", name="Revoke").click()
    dialog = page.get_by_role("dialog", name="Revoke the key")
    await expect(dialog).to_contain_text("Development")
    await dialog.get_by_role("button", name="Revoke it").click()
    await expect(page.get_by_role("status")).to_contain_text("The key is revoked.")
    assert secret not in await page.content()
    async with database.connection() as connection:
        found = await audit.page(connection, scope.organization_id, Filter(), Asked())
    assert [(e.action, e.target_name, e.environment_name, e.user_name) for e in found.items] == [
        ("key.revoke", "Billing", "Development", "Owner Example"),
        ("key.create", "Billing", "Development", "Owner Example"),
    ]


async def test_a_refused_form_keeps_what_was_typed_and_says_what_is_wrong(
    signed_in: SignIn, database: Database, scope: Scope
) -> None:
    page = await signed_in("owner")
    await page.goto("/dashboard/environments/new")
    await page.get_by_label("Name").fill("Production")
    await page.get_by_role("button", name="Make the environment").click()
    await expect(page.get_by_role("alert")).to_contain_text("There is an environment named")
    await expect(page.get_by_label("Name")).to_have_value("Production")
    await page.get_by_label("Name").fill("Staging")
    await page.get_by_role("button", name="Make the environment").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Staging")
    async with database.connection() as connection:
        names = [each.name for each in await environments.all_of(connection, scope)]
    assert names == ["Development", "Production", "Staging"]
