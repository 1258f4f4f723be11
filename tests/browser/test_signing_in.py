import httpx
from playwright.async_api import expect

from tests.browser.conftest import SignIn
from tests.browser.visiting import Visits, check_looks
from tests.conftest import make_world
from tidings.actions import users
from tidings.domain.users import MOST_PER_ACCOUNT
from tidings.storage import environments
from tidings.storage.database import Database

PASSWORD = "a long phrase of words"


async def ada(database: Database, role: str = "owner") -> None:
    async with database.transaction() as tx:
        organization_id = await environments.organization_id(tx)
        await users.create(
            tx, organization_id, make_world(), "ada@example.com", "Ada", role, PASSWORD
        )


async def test_the_first_visit_makes_the_owner(visits: Visits) -> None:
    page = await visits.open()
    await page.goto("/")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    await check_looks(page, "first-owner")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("E-mail").fill("ada@example.com")
    await page.get_by_label("Password").fill("short")
    await page.locator("#f-password").evaluate("e => e.removeAttribute('minlength')")
    await page.get_by_role("button", name="Make the owner's account").click()
    await expect(page.locator(".wrong")).to_contain_text("12 to 256 characters")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Make the owner's account").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Home")
    await expect(page.get_by_role("status")).to_contain_text("Welcome, Ada")


async def test_signing_in_and_out(visits: Visits, database: Database) -> None:
    await ada(database)
    page = await visits.open()
    await page.goto("/dashboard/audit")
    await check_looks(page, "sign-in")
    await page.get_by_label("E-mail").fill("ada@example.com")
    await page.get_by_label("Password").fill("wrong")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("the password is wrong")
    await expect(page.get_by_label("E-mail")).to_have_value("ada@example.com")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Audit log")
    before = await page.context.cookies()
    await page.get_by_label("Your account").click()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    await page.context.add_cookies(before)  # type: ignore[arg-type]
    await page.goto("/dashboard/audit")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")


async def test_the_cookie_is_kept_from_scripts_and_other_sites(
    visits: Visits, database: Database
) -> None:
    await ada(database)
    page = await visits.open()
    await page.goto("/dashboard/sign-in")
    await page.get_by_label("E-mail").fill("ada@example.com")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    found = {each["name"]: each for each in await page.context.cookies()}["tidings_session"]
    assert found["httpOnly"]
    assert found["sameSite"] == "Lax"
    assert found["path"] == "/dashboard"
    assert not found["secure"], "plain HTTP in a LAN must work"
    assert await page.evaluate("document.cookie") == ""


async def test_too_many_failures_close_the_account_for_a_while(
    visits: Visits, database: Database
) -> None:
    await ada(database)
    page = await visits.open(javascript=False)
    await page.goto("/dashboard/sign-in")
    for _ in range(MOST_PER_ACCOUNT):
        await page.get_by_label("E-mail").fill("ada@example.com")
        await page.get_by_label("Password").fill("wrong")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("alert")).to_contain_text("is wrong")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("too many failed attempts")


async def test_the_colours_can_be_chosen(signed_in: SignIn) -> None:
    page = await signed_in("viewer", javascript=False)
    await page.goto("/dashboard/audit")
    await page.get_by_label("Colours: auto").click()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Audit log")


async def test_only_who_reads_the_console_owns_an_installation_reached_through_a_proxy(
    base: str, database: Database
) -> None:
    async with database.transaction() as tx:
        token = await users.setup_token(tx, make_world())
    fields = {"email": "eve@example.com", "name": "Eve", "password": PASSWORD}
    async with httpx.AsyncClient(
        base_url=base, headers={"X-Forwarded-For": "203.0.113.9"}
    ) as stranger:
        form = await stranger.get("/dashboard/first-owner")
        assert "Setup token" in form.text
        proof = {"csrf": _csrf(form.text)}
        refused = await stranger.post("/dashboard/first-owner", data=fields | proof)
        assert refused.status_code == 422
        assert "The setup token is wrong" in refused.text
        fields["token"] = token or ""
        made = await stranger.post("/dashboard/first-owner", data=fields | proof)
        assert made.status_code == 303
        assert (await stranger.get("/dashboard/users")).status_code == 200
        again = await stranger.get("/dashboard/first-owner")
        assert again.headers["location"] == "/dashboard/sign-in"


def _csrf(text: str) -> str:
    return text.split('name="csrf" content="')[1].split('"')[0]
