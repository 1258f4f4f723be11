import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import SignIn, session_of
from tests.browser.shots import shoot
from tests.browser.test_gate import caller, csrf_of
from tests.browser.visiting import check_looks, check_page
from tests.browser.xss import check_inert, corpus
from tests.conftest import make_world
from tidings.actions import integrations as actions
from tidings.domain.audit import Filter
from tidings.domain.conditions import FieldFilterPart, StepFilter
from tidings.domain.integrations import Configurations, Integration
from tidings.domain.paging import Asked
from tidings.domain.scope import Scope
from tidings.storage import audit, integrations
from tidings.storage.database import Database

SECRET = "a-secret-that-nobody-sees-abcd"
ENTERPRISE = StepFilter(
    is_negated=False,
    type="GROUP",
    value="AND",
    children=(
        FieldFilterPart(on="subscriber", field="data.plan", operator="EQUAL", value="enterprise"),
    ),
)


async def connect(database: Database, scope: Scope, provider: str, **more: object) -> Integration:
    new = actions.NewIntegration(provider_id=provider, **more)  # type: ignore[arg-type]
    async with database.transaction() as tx:
        return await actions.create(tx, scope, make_world(), new)


async def stored(database: Database, scope: Scope, key: str) -> Integration:
    async with database.connection() as connection:
        return await integrations.get(connection, scope, make_world().sealer, key)


async def fail_with(database: Database, integration: Integration, *errors: str) -> None:
    """One failed message for each error, and one that was sent."""
    world = make_world()
    async with database.transaction() as tx:
        for text in (*errors, None):
            id = world.ids.new()
            await tx.execute(
                "INSERT INTO messages (id, organization_id, environment_id, notification_id, "
                "job_id, event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, "
                "status, integration_id, error_text, content, created_at, updated_at) VALUES "
                "($1, $2, $3, $1, $1, $1, 'txn_' || $1, 'w', 's', 'x', $4, $5, $6, $7, '{}', "
                "now(), now())",
                *(id, integration.organization_id, integration.environment_id),
                *(integration.channel, "error" if text else "sent", integration.id, text),
            )


async def seed(database: Database, scope: Scope) -> None:
    smtp = {"host": "smtp.example.com", "port": "587", "from": "news@example.com"}
    first = await connect(
        database, scope, "nodemailer", name="Own mail server", credentials=smtp, active=True
    )
    mark = {"apiKey": SECRET, "from": "news@example.com"}
    await connect(
        *(database, scope, "postmark"),
        name="Postmark for enterprises",
        identifier="postmark",
        credentials=mark,
        configurations=Configurations(inbound_webhook_enabled=True),
        conditions=(ENTERPRISE,),
        active=True,
    )
    await connect(database, scope, "sendgrid", name="SendGrid", credentials=mark)
    keys = {"accountSid": "AC1", "token": SECRET, "from": "+15005550006"}
    await connect(database, scope, "twilio", name="Twilio", credentials=keys, active=True)
    await fail_with(database, first, "550 mailbox unavailable", "421 try again later")


async def test_the_pages_look_well(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations")
    await check_page(page)
    await seed(database, scope)
    for path, name in (
        ("", "list"),
        ("/-/catalogue", "catalogue"),
        ("/-/catalogue?search=nothing+like+it", "catalogue-empty"),
        ("/-/new/nodemailer", "new"),
        ("/postmark", "one"),
        ("/postmark/settings", "settings"),
        ("/postmark/use", "use"),
        ("/postmark/test", "test"),
    ):
        await page.goto(f"{home}/integrations{path}")
        await check_looks(page, f"integrations-{name}")


@pytest.mark.parametrize("javascript", [True, False])
async def test_an_editor_connects_a_mail_server_and_its_secret_is_kept(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/integrations")
    await page.get_by_role("link", name="Connect a provider").click()
    await page.get_by_label("Name").fill("smtp")
    await page.get_by_role("button", name="Search").click()
    await page.get_by_role("link", name="Custom SMTP").click()
    await page.get_by_role("textbox", name="Host").fill("smtp.example.com")
    await page.get_by_role("textbox", name="Port").fill("many")
    await password_of(page).fill(SECRET)
    await page.get_by_role("button", name="Connect Custom SMTP").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing was saved yet")
    await expect(page.get_by_text("Port must be a number from 1 to 65535.")).to_be_visible()
    await expect(page.get_by_text("From address is required.")).to_be_visible()
    await expect(page.get_by_role("textbox", name="Host")).to_have_value("smtp.example.com")
    assert SECRET not in await page.content(), "a refused form must not repeat a secret"
    await page.get_by_role("textbox", name="Port").fill("587")
    await password_of(page).fill(SECRET)
    await page.get_by_label("From address").fill("news@example.com")
    await page.get_by_label("Identifier").fill("smtp")
    await page.get_by_role("button", name="Connect Custom SMTP").click()
    await expect(page.get_by_role("status")).to_contain_text("Custom SMTP is connected.")
    await expect(page.get_by_text("Primary", exact=True)).to_be_visible()
    made = await stored(database, scope, "smtp")
    assert made.credentials["password"] == SECRET

    await page.get_by_role("main").get_by_role("link", name="Settings", exact=True).click()
    await expect(password_of(page)).to_have_attribute("placeholder", "Unchanged: ••••••abcd")
    await page.get_by_role("textbox", name="Host").fill("mail.example.com")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved.")
    after = await stored(database, scope, "smtp")
    assert after.credentials == {**made.credentials, "host": "mail.example.com"}
    async with database.connection() as connection:
        found = await audit.page(connection, scope.organization_id, Filter(), Asked())
    assert [(each.action, each.details) for each in found.items] == [
        ("integration.update", {"changed": "host"}),
        ("integration.create", {"provider": "Custom SMTP", "active": True}),
    ]


async def test_a_kept_secret_can_be_replaced_and_removed(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    credentials = {
        "host": "smtp.example.com",
        "port": "587",
        "from": "a@example.com",
        "user": "ada",
        "password": SECRET,
        "apiKey": "kept though no field shows it",
    }
    await connect(database, scope, "nodemailer", identifier="smtp", credentials=credentials)
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations/smtp/settings")
    await password_of(page).fill("another one")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert (await stored(database, scope, "smtp")).credentials["password"] == "another one"
    await page.goto(f"{home}/integrations/smtp/settings")
    await page.get_by_label("Remove the password").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved.")
    left = (await stored(database, scope, "smtp")).credentials
    assert "password" not in left
    assert left["apiKey"] == credentials["apiKey"]


def password_of(page: Page) -> Locator:
    return page.locator("[name='credentials.password']")


@asynccontextmanager
async def vendor(*answers: tuple[int, str]) -> AsyncIterator[tuple[str, list[bytes]]]:
    """An HTTP server that keeps what it gets and answers in turn."""
    got: list[bytes] = []
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        got.append(await reader.readexactly(length))
        status, text = left.pop(0)
        body = text.encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"http://127.0.0.1:{port}/take", got


async def test_a_webhook_is_connected_and_tried_out(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("editor")
    refusal = '{"error": "the key was revoked"}'
    async with vendor((200, '{"id": "m-1"}'), (401, refusal)) as (address, got):
        await page.goto(f"{home}/integrations/-/new/email-webhook")
        await page.get_by_label("Webhook URL").fill(address)
        await page.get_by_label("Secret key").fill(SECRET)
        await page.get_by_label("From address").fill("news@example.com")
        await page.get_by_role("button", name="Connect Email webhook").click()
        await page.get_by_role("link", name="Test", exact=True).click()
        await expect(page.get_by_role("textbox", name="To", exact=True)).to_have_value(
            "editor@example.com"
        )
        await page.get_by_label("Subject").fill("Is it you?")
        await page.get_by_role("button", name="Send it").click()
        verdict = page.get_by_role("status")
        await expect(verdict).to_contain_text("The provider took it")
        await expect(verdict).to_contain_text("m-1")
        assert b"Is it you?" in got[0]
        await check_page(page)
        await page.get_by_role("button", name="Send it").click()
        await expect(verdict).to_contain_text("does not accept the credentials")
        await expect(verdict).to_contain_text("Check them under Settings")
        await expect(verdict).to_contain_text("401")
        await check_page(page)
        await shoot(page, "integrations-test-refused")
    await page.get_by_role("button", name="Send it").click()
    await expect(page.get_by_role("status")).to_contain_text("could not be reached")
    async with database.connection() as connection:
        found = await audit.page(
            connection, scope.organization_id, Filter(action="integration.test"), Asked()
        )
    assert [each.details["outcome"] for each in found.items] == [
        "retryable",
        "bad_credentials",
        "sent",
    ]


async def test_a_test_message_needs_somebody(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    keys = {"accountSid": "AC1", "token": SECRET, "from": "+15005550006"}
    await connect(database, scope, "twilio", identifier="twilio", credentials=keys)
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations/twilio/test")
    await page.locator("#f-to").evaluate("e => e.required = false")
    await page.get_by_role("button", name="Send it").click()
    await expect(page.locator(".wrong")).to_contain_text("Is required to test")


@pytest.mark.parametrize("javascript", [True, False])
async def test_another_becomes_primary_goes_off_and_is_deleted(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    await seed(database, scope)
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/integrations")
    row = page.get_by_role("row", name="Postmark for enterprises")
    await expect(row).to_contain_text("First")
    await expect(row).to_contain_text("With conditions")
    own = page.get_by_role("row", name="Own mail server")
    await expect(own).to_contain_text("Primary")
    await expect(own).to_contain_text("2 failed")
    await expect(own).to_contain_text("421 try again later")
    await row.get_by_role("button", name="Make primary").click()
    dialog = page.get_by_role("dialog", name="Make Postmark for enterprises primary?")
    await expect(dialog).to_contain_text("its conditions are removed")
    await dialog.get_by_role("button", name="Remove them").click()
    await expect(page.get_by_role("status")).to_contain_text("is the primary integration of E-mail")
    assert (await stored(database, scope, "postmark")).primary
    await row.get_by_role("button", name="Switch off").click()
    await expect(page.get_by_role("status")).to_contain_text("is off now")
    await expect(row).to_contain_text("Never")
    await row.get_by_role("link").click()
    await page.get_by_role("button", name="Delete the integration").click()
    dialog = page.get_by_role("dialog", name="Delete Postmark for enterprises?")
    await expect(dialog).to_contain_text("Development and its credentials are gone for good")
    await dialog.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("status")).to_contain_text("is deleted")
    await expect(page.get_by_role("row", name="Postmark")).to_have_count(0)


async def test_an_identifier_cannot_hide_a_page(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("viewer")
    for identifier in ("catalogue", "new", "settings"):
        await connect(database, scope, "postmark", name="Mine", identifier=identifier)
        for path in ("", "/use"):
            await page.goto(f"{home}/integrations/{identifier}{path}")
            await expect(page.get_by_role("heading", level=1)).to_have_text("Mine")


async def test_long_names_and_errors_fit_a_narrow_window(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    long = "x" * 256
    credentials = {"host": "smtp.example.com", "port": "587", "from": "a@example.com"}
    made = await connect(
        *(database, scope, "nodemailer"),
        name=long,
        identifier=long[:128],
        credentials=credentials,
        active=True,
    )
    await fail_with(database, made, long * 40)
    page = await signed_in("editor", "narrow")
    for path in ("", *(f"/{long[:128]}{tab}" for tab in ("", "/settings", "/use", "/test"))):
        await page.goto(f"{home}/integrations{path}")
        await check_page(page)


async def test_an_incomplete_one_is_not_switched_on(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await connect(database, scope, "postmark", identifier="postmark")
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations/postmark")
    await page.get_by_role("button", name="Switch on").click()
    await expect(page.get_by_text("From address is required.")).to_be_visible()
    assert not (await stored(database, scope, "postmark")).active


async def test_conditions_are_built_line_by_line(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await seed(database, scope)
    page = await signed_in("editor", javascript=False)
    await page.goto(f"{home}/integrations/postmark/use")
    await expect(page.get_by_role("textbox", name="Field, line 1 of group 1")).to_have_value(
        "data.plan"
    )
    await page.get_by_label("Whose field, line 2 of group 1").select_option("payload")
    await page.get_by_label("Comparison, line 2 of group 1").select_option("is at least")
    await page.get_by_role("textbox", name="Value, line 2 of group 1").fill("100")
    await page.get_by_role("button", name="Save the conditions").click()
    await expect(page.locator(".wrong")).to_contain_text("Say which field is compared")
    await page.get_by_role("textbox", name="Field, line 2 of group 1").fill("order.total")
    await page.get_by_role("textbox", name="Field, line 1 of group 2").fill("isOnline")
    await page.get_by_role("textbox", name="Value, line 1 of group 2").fill("true")
    await page.get_by_label("Turn the answer around").last.check()
    await page.get_by_role("button", name="Save the conditions").click()
    await expect(page.get_by_role("status")).to_contain_text("The conditions are saved.")
    added = FieldFilterPart(on="payload", field="order.total", operator="LARGER_EQUAL", value="100")
    online = FieldFilterPart(on="subscriber", field="isOnline", operator="EQUAL", value="true")
    assert (await stored(database, scope, "postmark")).conditions == (
        StepFilter(
            is_negated=False, type="GROUP", value="AND", children=(*ENTERPRISE.children, added)
        ),
        StepFilter(is_negated=True, type="GROUP", value="AND", children=(online,)),
    )


async def test_the_webhook_address_is_there_to_copy(
    signed_in: SignIn, database: Database, scope: Scope, home: str, base: str
) -> None:
    taken = Configurations(inbound_webhook_enabled=True, inbound_webhook_signing_key=SECRET)
    made = await connect(
        *(database, scope, "postmark"), identifier="postmark", configurations=taken
    )
    page = await signed_in("viewer")
    await page.goto(f"{home}/integrations/postmark")
    address = await page.locator("#webhook").inner_text()
    place = f"{scope.environment_id}/{made.id}"
    assert address == f"{base}/v2/inbound-webhooks/delivery-providers/{place}"
    async with httpx.AsyncClient() as client:
        assert (await client.post(address, json={})).status_code == 401
        signed = await client.post(f"{address}?token={SECRET}", json={"RecordType": "Delivery"})
        assert signed.status_code == 200


async def test_the_catalogue_narrows_while_one_types(signed_in: SignIn, home: str) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations/-/catalogue")
    await page.get_by_label("Channel").select_option("Push")
    await expect(page.get_by_role("link", name="Mailgun")).to_have_count(0)
    await page.get_by_label("Name").press_sequentially("expo")
    await expect(page.locator(".providers li")).to_have_count(1)
    await expect(page.locator(".providers")).to_contain_text("Expo")


async def test_a_viewer_reads_and_changes_nothing(
    signed_in: SignIn, base: str, database: Database, scope: Scope, home: str
) -> None:
    await seed(database, scope)
    page = await signed_in("viewer")
    for path in ("", "/-/catalogue", "/postmark", "/postmark/use"):
        await page.goto(f"{home}/integrations{path}")
        await check_page(page)
        assert await page.locator("main form[method=post]").count() == 0
        assert SECRET not in await page.content()
    async with caller(base, await session_of(database, "viewer")) as client:
        token = await csrf_of(client)
        for path in ("-/new/nodemailer", *(f"postmark/{each}" for each in CHANGES)):
            answer = await client.post(
                f"{home}/integrations/{path}", data={"csrf": token, "name": "Mine"}
            )
            assert answer.status_code == 403
            assert "needs the role editor" in answer.text
    assert (await stored(database, scope, "postmark")).name == "Postmark for enterprises"


CHANGES = ("settings", "conditions", "primary", "active", "delete", "test")


async def test_nothing_that_users_or_providers_write_runs(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    credentials = {"host": "smtp.example.com", "port": "587", "from": "a@example.com"}
    hostile = [text for text in corpus() if text.isprintable()]
    made = []
    for number, text in enumerate(hostile):
        part = FieldFilterPart(on="payload", field=text, operator="EQUAL", value=text)
        group = StepFilter(is_negated=False, type="GROUP", value="AND", children=(part,))
        more = {"user": text, "senderName": text, "tlsOptions": {"servername": text}}
        made.append(
            await connect(
                *(database, scope, "nodemailer"),
                name=text,
                identifier=f"x{number}",
                conditions=(group,),
                credentials={**credentials, **more},
                active=True,
            )
        )
    await fail_with(database, made[0], *corpus())
    page = await signed_in("editor")
    await page.goto(f"{home}/integrations")
    await check_inert(page)
    for tab in ("", "/settings", "/use", "/test"):
        await page.goto(f"{home}/integrations/x0{tab}")
        await check_inert(page)
    await page.goto(f"{home}/integrations/-/catalogue?search={hostile[0]}")
    await check_inert(page)
    await _refused_by_a_hostile_vendor(page, database, scope, home)


async def _refused_by_a_hostile_vendor(
    page: Page, database: Database, scope: Scope, home: str
) -> None:
    async with vendor((400, " ".join(corpus()))) as (address, _):
        credentials = {"webhookUrl": address, "secretKey": SECRET, "from": "a@example.com"}
        await connect(
            database, scope, "email-webhook", identifier="hostile", credentials=credentials
        )
        await page.goto(f"{home}/integrations/hostile/test")
        await page.get_by_role("button", name="Send it").click()
        await expect(page.get_by_role("status")).to_contain_text("was refused")
        await check_inert(page)
