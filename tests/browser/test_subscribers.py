from typing import Any
from urllib.parse import quote

from playwright.async_api import Page, expect

from tests.browser.application import Application
from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks
from tests.browser.xss import CORPUS, check_inert
from tests.conftest import make_world
from tidings.domain.audit import Filter
from tidings.domain.paging import Asked
from tidings.domain.scope import Scope
from tidings.domain.suppressions import Suppression
from tidings.storage import audit, suppressions
from tidings.storage.database import Database

ROOM = "http://127.0.0.1:9/secret-room-1234"


async def suppress(database: Database, scope: Scope, address: str) -> None:
    found = Suppression(
        channel="email",
        address=address,
        reason="bounced",
        detail="550 no such user",
        since=make_world().clock.now(),
    )
    async with database.connection() as connection:
        await suppressions.add(connection, scope, [found])


async def test_the_pages_look_well(
    signed_in: SignIn,
    database: Database,
    scope: Scope,
    home: str,
    application: Application,
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers")
    await expect(page.get_by_role("heading", name="No subscriber yet")).to_be_visible()
    await check_looks(page, "subscribers-empty")
    await application.workflow()
    id = await application.room(ROOM, phone="+33612345678", timezone="Europe/Paris")
    await application.call("POST", "/v2/topics/news/subscriptions", {"subscriberIds": ["ada"]})
    await suppress(database, scope, "ada@example.com")
    await application.finished(await application.trigger("welcome", "ada"))
    for path, name in (
        ("", "subscribers"),
        ("?search=nobody", "subscribers-none"),
        ("/new", "subscriber-new"),
        (f"/{id}", "subscriber"),
        (f"/{id}/preferences", "subscriber-preferences"),
        (f"/{id}/timeline", "subscriber-timeline"),
    ):
        await page.goto(f"{home}/subscribers{path}")
        await check_looks(page, name)


async def test_subscribers_are_found_by_how_something_of_them_begins(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.subscriber("ada", phone="+331")
    await application.subscriber("org/7", firstName="Bob", email="bob@example.com")
    page = await signed_in("viewer")
    for search, wanted in (
        ("ad", ["Ada Lovelace"]),
        ("ADA", ["Ada Lovelace"]),
        ("ada@", ["Ada Lovelace"]),
        ("+33", ["Ada Lovelace"]),
        ("Bob L", ["Bob Lovelace"]),
        ("org/", ["Bob Lovelace"]),
        ("b", ["Bob Lovelace"]),
        ("x", []),
        ("", ["Bob Lovelace", "Ada Lovelace"]),
    ):
        await page.goto(f"{home}/subscribers?search={quote(search)}")
        titles = page.locator("tbody td.title a")
        assert await titles.all_inner_texts() == wanted, search
    await page.get_by_text("Exact fields").click()
    await page.get_by_label("E-mail").fill("bob@example.com")
    await page.get_by_role("button", name="Show those that match all").click()
    await page.get_by_role("link", name="Bob Lovelace").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Bob Lovelace")


async def test_a_subscriber_is_made_changed_and_deleted_and_the_log_tells(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    page = await signed_in("editor", javascript=False)
    await page.goto(f"{home}/subscribers")
    await page.get_by_role("link", name="New subscriber").click()
    await page.get_by_label("Id", exact=True).fill("bob")
    await page.get_by_label("E-mail").fill("not an address")
    await page.get_by_role("button", name="Make the subscriber").click()
    await expect(page.get_by_text("Must be an e-mail address such as")).to_be_visible()
    await expect(page.get_by_label("Id", exact=True)).to_have_value("bob")
    await page.get_by_label("E-mail").fill("bob@example.com")
    await page.get_by_label("Own data").fill('{"plan": "pro"}')
    await page.get_by_role("button", name="Make the subscriber").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("bob")
    await page.get_by_label("First name").fill("Bob")
    await page.get_by_label("Own data").fill("[1]")
    await page.get_by_role("button", name="Save the profile").click()
    await expect(page.get_by_text("Must be a JSON object")).to_be_visible()
    await page.get_by_label("Own data").fill("")
    await page.get_by_role("button", name="Save the profile").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Bob")
    await page.get_by_role("button", name="Delete the subscriber").click()
    await page.get_by_role("button", name="Delete it all").click()
    await expect(page.get_by_role("status")).to_contain_text("Bob is deleted.")
    async with database.connection() as connection:
        found = await audit.page(connection, scope.organization_id, Filter(), Asked())
    assert [(each.action, each.target_name) for each in found.items] == [
        ("subscriber.delete", "bob"),
        ("subscriber.change", "bob"),
        ("subscriber.create", "bob"),
    ]
    assert found.items[1].details == {"fields": ["first_name", "data"]}


async def test_a_preference_is_changed_and_the_skip_explained(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    id = await application.subscriber()
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers/{id}/preferences")
    mail = page.get_by_role("button", name="E-mail, Welcome")
    await expect(mail).to_have_attribute("aria-pressed", "true")
    await mail.click()
    await expect(mail).to_have_attribute("aria-pressed", "false")
    await expect(page.get_by_role("row", name="Welcome")).to_contain_text("own choice")
    await page.get_by_role("link", name="Profile").click()
    await page.get_by_role("button", name="Trigger it").click()
    await expect(page.get_by_role("heading", name="What happened")).to_be_visible()
    await expect(page.get_by_text("E-mail not sent")).to_be_visible()
    await expect(page.get_by_text("In-app sent")).to_be_visible()
    why = "Was not sent: Step filtered by subscriber workflow preferences."
    await expect(page.get_by_text(why)).to_be_visible()
    await page.get_by_role("link", name="Look at who decided this, or change it").click()
    await page.get_by_role("button", name="E-mail, everything").click()
    await expect(page.get_by_role("row", name="Welcome")).to_contain_text("everywhere")
    await page.get_by_role("link", name="Timeline").click()
    await expect(page.get_by_text("E-mail was not sent: Step filtered")).to_be_visible()
    await page.get_by_role("link", name="Welcome").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")


async def test_preferences_need_no_javascript_and_critical_ones_stay(
    signed_in: SignIn, home: str, application: Application
) -> None:
    rules = {"all": {"enabled": True, "readOnly": True}, "channels": {}}
    await application.workflow("alarm", preferences={"user": rules, "workflow": rules})
    await application.workflow()
    id = await application.subscriber()
    page = await signed_in("editor", javascript=False)
    await page.goto(f"{home}/subscribers/{id}/preferences")
    await page.get_by_role("button", name="SMS, Welcome").click()
    await expect(page.get_by_role("button", name="SMS, Welcome")).to_have_text("Off")
    await expect(page.get_by_role("row", name="Alarm")).to_contain_text("critical")
    await expect(page.get_by_role("button", name="SMS, Alarm")).to_have_count(0)


async def test_the_schedule_is_edited(
    signed_in: SignIn, home: str, application: Application
) -> None:
    id = await application.subscriber(timezone="Europe/Paris")
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers/{id}/preferences")
    await page.get_by_label("Monday from").first.fill("08:30")
    await page.get_by_label("Monday until").first.fill("08:30")
    await page.get_by_role("button", name="Save the schedule").click()
    await expect(page.get_by_text("Monday: must differ from start")).to_be_visible()
    await page.get_by_label("Monday until").first.fill("12:00")
    await page.get_by_label("Monday from").nth(1).fill("22:00")
    await page.get_by_label("Monday until").nth(1).fill("02:00")
    await page.get_by_label("Friday", exact=True).uncheck()
    await page.get_by_role("button", name="Save the schedule").click()
    await expect(page.get_by_role("status")).to_contain_text("The schedule is saved.")
    await expect(page.get_by_label("Monday until").nth(1)).to_have_value("02:00")
    found = await application.call("GET", "/v2/subscribers/ada/preferences")
    week = found["global"]["schedule"]["weeklySchedule"]
    assert week["monday"]["hours"] == [
        {"start": "08:30 AM", "end": "12:00 PM"},
        {"start": "10:00 PM", "end": "02:00 AM"},
    ]
    assert [week["friday"]["isEnabled"], week["sunday"]["isEnabled"]] == [False, False]
    await page.get_by_role("button", name="Remove the schedule").click()
    await page.get_by_role("button", name="Remove it").click()
    await expect(page.get_by_role("status")).to_contain_text("messages come at any hour")
    found = await application.call("GET", "/v2/subscribers/ada/preferences")
    assert "schedule" not in found["global"]


async def test_what_belongs_to_a_subscriber_is_steered(
    signed_in: SignIn, database: Database, scope: Scope, home: str, application: Application
) -> None:
    id = await application.room(ROOM)
    await suppress(database, scope, "ada@example.com")
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers/{id}")
    await expect(page.get_by_text("…1234")).to_be_visible()
    assert ROOM not in await page.content()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await page.get_by_role("button", name="Remove them").click()
    await expect(page.get_by_role("status")).to_contain_text("The credentials of chat-webhook")
    await expect(page.get_by_text("550 no such user")).to_be_visible()
    await page.get_by_role("button", name="Send to it again").first.click()
    await page.get_by_role("dialog").get_by_role("button", name="Send to it again").click()
    await expect(page.get_by_role("status")).to_contain_text("Messages go to ada@example.com again")
    await page.get_by_label("Topic key").fill("news")
    await page.get_by_role("button", name="Subscribe", exact=True).click()
    await expect(page.get_by_role("link", name="news")).to_be_visible()
    await page.get_by_role("button", name="Leave").click()
    await expect(page.get_by_text("They belong to no topic.")).to_be_visible()
    await page.get_by_label("Topic key").fill("not a key")
    await page.get_by_role("button", name="Subscribe", exact=True).click()
    await expect(page.get_by_text("Must consist of letters")).to_be_visible()


async def test_a_test_that_cannot_start_says_what_to_do(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    id = await application.subscriber()
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers/{id}")
    await page.get_by_label("Payload").fill("{oops")
    await page.get_by_role("button", name="Trigger it").click()
    await expect(page.get_by_text("Must be a JSON object").first).to_be_visible()
    await expect(page.get_by_label("Payload")).to_have_value("{oops")


async def test_viewers_look_and_do_not_touch(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    id = await application.subscriber()
    page = await signed_in("viewer")
    await page.goto(f"{home}/subscribers/{id}/preferences")
    await expect(page.get_by_role("button", name="E-mail, Welcome")).to_have_count(0)
    await page.goto(f"{home}/subscribers/{id}")
    await expect(page.get_by_role("button", name="Save the profile")).to_have_count(0)
    for path, form in (
        ("profile", {"first_name": "Eve"}),
        ("preferences", {"set": "everywhere email off"}),
        ("schedule", {"enabled": "true"}),
        ("test", {"workflow": "welcome"}),
        ("delete", {}),
    ):
        assert await _post(page, f"{home}/subscribers/{id}/{path}", form) == 403
    found = await application.call("GET", "/v2/subscribers/ada")
    assert found["firstName"] == "Ada"


async def _post(page: Page, path: str, form: dict[str, str]) -> int:
    token = await page.locator("meta[name=csrf]").get_attribute("content")
    answer = await page.request.post(path, form={"csrf": token or "", **form})
    return answer.status


async def test_hostile_texts_are_inert(
    signed_in: SignIn, home: str, application: Application
) -> None:
    ids = []
    for number, text in enumerate(CORPUS):
        fields: dict[str, Any] = {"firstName": text, "lastName": text, "phone": text[:255]}
        fields |= {"avatar": text, "data": {text: [text]}, "email": f"u{number}@example.com"}
        key = f"{text}{number}" if text.isprintable() else f"u{number}"
        ids.append(await application.subscriber(key, **fields))
    await application.workflow("hostile", name=CORPUS[0][:64])
    page = await signed_in("editor")
    await page.goto(f"{home}/subscribers")
    await check_inert(page)
    await page.goto(f"{home}/subscribers?search={quote(CORPUS[5])}&name={quote(CORPUS[6])}")
    await check_inert(page)
    for id in ids[:6]:
        for path in ("", "/preferences", "/timeline"):
            await page.goto(f"{home}/subscribers/{id}{path}")
            await check_inert(page)
