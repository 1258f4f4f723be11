from playwright.async_api import expect

from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks

PAGES = ["users", "audit", "settings", "password", "nowhere/at-all"]


async def test_the_pages_look_well(signed_in: SignIn) -> None:
    page = await signed_in("owner")
    for path in PAGES:
        await page.goto(f"/dashboard/{path}")
        await check_looks(page, path.split("/")[0])


async def test_an_owner_adds_changes_and_deletes_a_user_and_the_log_tells(
    signed_in: SignIn,
) -> None:
    page = await signed_in("owner")
    await page.goto("/dashboard/users")
    await page.get_by_label("Name").fill("Ada Lovelace")
    await page.get_by_label("E-mail").fill("Ada@Example.com")
    await page.get_by_role("button", name="Add the user").click()
    assert len(await page.locator("#password").inner_text()) == 20
    await page.get_by_label("Role of Ada Lovelace").select_option("viewer")
    await page.get_by_role("row", name="Ada").get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("Ada Lovelace is viewer now.")
    await page.get_by_role("row", name="Ada").get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Delete the account").click()
    await expect(page.get_by_role("status")).to_contain_text("Ada Lovelace is deleted.")
    await page.goto("/dashboard/audit")
    await expect(page.get_by_role("row")).to_have_count(4)
    await page.get_by_label("What").select_option("user.set_role")
    await expect(page.get_by_role("row")).to_have_count(2)
    await expect(page.get_by_role("row").last).to_contain_text("ada@example.com")
    await expect(page.get_by_role("row").last).to_contain_text("before: editor")


async def test_the_only_owner_stays(signed_in: SignIn) -> None:
    page = await signed_in("owner")
    await page.goto("/dashboard/users")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await page.get_by_role("button", name="Delete the account").click()
    await expect(page.get_by_role("alert")).to_contain_text("is the only owner")


async def test_secrets_among_the_settings_stay_hidden(signed_in: SignIn) -> None:
    page = await signed_in("viewer")
    await page.goto("/dashboard/settings")
    row = page.get_by_role("row", name="encryption_key", exact=False).first
    await expect(row).to_contain_text("set, hidden")
    assert "AAECAwQF" not in await page.content()
