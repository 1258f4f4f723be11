import re

from playwright.async_api import expect

from tests.browser.conftest import SignIn
from tests.browser.shots import shoot
from tests.browser.visiting import check_looks
from tests.conftest import make_world
from tidings.domain.scope import Scope
from tidings.storage.database import Database


async def seed(database: Database, scope: Scope, hours: int = 20) -> None:
    """A day on which one integration fails now and then."""
    world = make_world()
    async with database.transaction() as tx:
        integration_id = await tx.fetchval(
            "SELECT id FROM integrations WHERE environment_id = $1 LIMIT 1", scope.environment_id
        )
        await tx.execute(
            "INSERT INTO events (id, organization_id, environment_id, transaction_id, workflow_id, "
            "workflow_version, recipients, payload, overrides, status, created_at) "
            "SELECT lpad(to_hex((extract(epoch FROM at) * 16777216)::bigint), 14, '0') || "
            "lpad(to_hex(n), 10, '0'), $1, $2, 't' || n || extract(epoch FROM at), 'w', 1, '{}', "
            "'{}', '{}', 'done', at FROM generate_series(1, $3::int) AS h, "
            "LATERAL (SELECT $4::timestamptz - h * interval '1 hour' AS at) AS a, "
            "LATERAL generate_series(1, 4 + (h * 7) % 23) AS n",
            scope.organization_id,
            scope.environment_id,
            hours,
            world.clock.now(),
        )
        await tx.execute(
            "INSERT INTO messages (id, organization_id, environment_id, notification_id, job_id, "
            "event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, status, "
            "integration_id, error_text, content, created_at, updated_at) "
            "SELECT id, organization_id, environment_id, 'n' || id, 'j' || id, id, transaction_id, "
            "'w', 's', 'x', 'email', CASE WHEN right(id, 1) IN ('3', '9') THEN 'error' ELSE 'sent' "
            "END, $2, CASE WHEN right(id, 1) IN ('3', '9') THEN '550 mailbox unavailable' END, "
            "'{}', created_at + interval '30 ms' * (1 + ascii(right(id, 1)) % 7), created_at "
            "FROM events WHERE environment_id = $1",
            scope.environment_id,
            integration_id,
        )


async def test_a_new_environment_is_shown_its_first_steps(signed_in: SignIn, home: str) -> None:
    page = await signed_in("editor")
    await page.goto("/dashboard")
    await expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    await check_looks(page, "home-new")


async def test_a_busy_environment_shows_its_figures(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await seed(database, scope)
    page = await signed_in("viewer")
    await page.goto(f"{home}/home")
    await expect(page.get_by_text("550 mailbox unavailable")).to_be_visible()
    await expect(page.get_by_role("img", name="Messages.")).to_be_visible()
    await check_looks(page, "home-busy")
    for span in ("7 days", "30 days"):
        await page.get_by_role("link", name=span).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Home")


async def test_production_cannot_be_mistaken(signed_in: SignIn, home: str) -> None:
    page = await signed_in("viewer")
    await page.goto(home)
    await expect(page).to_have_url(re.compile("/home$"))
    colour = "getComputedStyle(document.querySelector('.stage')).backgroundColor"
    calm = await page.evaluate(colour)
    await page.get_by_label("Environment: Development").click()
    await page.get_by_role("navigation", name="Environments").get_by_text("Production").click()
    await expect(page.get_by_label("Environment: Production")).to_be_visible()
    await expect(page.get_by_text("Changes here reach real people.")).to_be_visible()
    assert await page.evaluate(colour) != calm
    await shoot(page, "home-production")
