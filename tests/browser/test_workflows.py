"""The pages about workflows, as people use them."""

from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks
from tests.browser.xss import check_inert, corpus
from tests.conftest import make_world
from tidings.actions import subscribers as subscriber_actions
from tidings.actions import workflows as actions
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.domain.workflows import StepType, Workflow
from tidings.storage import workflows
from tidings.storage.database import Database

_SCHEMA = {
    "type": "object",
    "properties": {
        "orderId": {"type": "string", "example": "A-1001"},
        "total": {"type": "number", "example": 49.5},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string", "example": "Lamp"}},
            },
        },
    },
}


def _document(*nodes: dict[str, Any]) -> str:
    return msgspec.json.encode({"type": "doc", "content": list(nodes)}).decode()


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


MAIL = {
    "subject": "Your order {{ payload.orderId }} is on its way",
    "preheader": "It should arrive on Friday.",
    "body": _document(
        {
            "type": "heading",
            "attrs": {"level": 1},
            "content": _text("Good news, {{ subscriber.firstName }}!"),
        },
        {
            "type": "paragraph",
            "content": _text("Your order {{ payload.orderId }} left our house today."),
        },
        {
            "type": "repeat",
            "attrs": {"each": "payload.items"},
            "content": [{"type": "paragraph", "content": _text("• {{ current.name }}")}],
        },
        {
            "type": "button",
            "attrs": {
                "text": "Follow it",
                "url": "https://example.com/{{ payload.orderId }}",
                "variant": "filled",
            },
        },
        {"type": "horizontalRule"},
        {"type": "footer", "content": _text("You get this because you ordered something.")},
    ),
}
STEPS: list[tuple[str, StepType, dict[str, Any]]] = [
    ("Tell in the app", "in_app", {
        "subject": "Order {{ payload.orderId }} is on its way",
        "body": "Hello {{ subscriber.firstName }}, it should be with you by Friday.",
        "primaryAction": {"label": "Follow it", "redirect": {"url": "/orders", "target": "_self"}},
    }),
    ("Wait a little", "delay", {"type": "regular", "amount": 2, "unit": "hours"}),
    ("Write an e-mail", "email", MAIL | {"skip": {"and": [
        {"==": [{"var": "steps.tell-in-the-app.read"}, True]},
        {"or": [{">": [{"var": "payload.total"}, 100]}, {"null": [{"var": "payload.orderId"}]}]},
    ]}}),
    ("Text", "sms", {"body": "Your order {{ payload.orderId }} is on its way ✓"}),
    ("Ring", "push", {"subject": "On its way", "body": "Order {{ payload.orderId }}"}),
    ("Post", "chat", {"body": "Order {{ payload.orderId }} left\nfor {{ payload.total }}"}),
    ("Gather", "digest", {"type": "timed", "cron": "0 9 * * 1-5", "digestKey": "payload.orderId"}),
    ("Not too often", "throttle", {"type": "fixed", "amount": 1, "unit": "days", "threshold": 3}),
    ("Look up", "custom", {"custom": {"answer": 42}}),
]  # fmt: skip


async def seed(
    database: Database,
    scope: Scope,
    key: str = "order-shipped",
    steps: list[tuple[str, StepType, dict[str, Any]]] = STEPS,
    **more: Any,
) -> Workflow:
    draft = Draft(
        **{"name": "Order shipped", "active": True, "payload_schema": _SCHEMA, **more},
        steps=[StepDraft(name=name, type=type, controls=given) for name, type, given in steps],
    )
    async with database.transaction() as tx:
        return await actions.create(tx, scope, make_world(), key, draft, None)


@pytest_asyncio.fixture(loop_scope="session")
async def workflow(database: Database, scope: Scope) -> Workflow:
    return await seed(
        database, scope, description="Sent when a parcel leaves.", tags=["orders", "shop"]
    )


async def _save(page: Page) -> None:
    await page.get_by_role("button", name="Save the step").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved as version")


async def _stored(database: Database, scope: Scope, key: str) -> Workflow:
    async with database.connection() as connection:
        return await workflows.get(connection, scope, key)


async def test_the_pages_look_well(
    signed_in: SignIn,
    database: Database,
    scope: Scope,
    home: str,
    workflow: Workflow,
) -> None:
    await seed(
        database, scope, "welcome", STEPS[:1], name="Welcome", tags=["onboarding"], active=False
    )
    broken = [("Mail", "email", {"subject": "{{ payload.nope }}"})]
    await seed(database, scope, "broken", broken, name="Weekly report")  # type: ignore[arg-type]
    page = await signed_in("editor")
    at = f"{home}/workflows/order-shipped"
    keys = [step.key for step in workflow.steps]
    pages = {
        "workflows": f"{home}/workflows",
        "new": f"{home}/workflows/new",
        "workflow": at,
        "settings": f"{at}/settings",
        "payload": f"{at}/payload",
        "test": f"{at}/test",
        "versions": f"{at}/versions",
        "version": f"{at}/versions/1",
        "publish": f"{at}/publish",
        **{f"step-{key}": f"{at}/steps/{key}" for key in keys},
    }
    for name, path in pages.items():
        answer = await page.goto(path)
        assert answer is not None
        assert answer.ok, path
        await check_looks(page, f"workflows/{name}")


async def _ada(database: Database, scope: Scope) -> None:
    profile = Profile(key="ada", first_name="Ada", email="ada@example.com")
    async with database.transaction() as tx:
        await subscriber_actions.create(tx, scope, make_world(), profile)


@pytest.mark.parametrize("javascript", [True, False])
async def test_somebody_builds_a_workflow_of_two_steps_by_hand_and_starts_it(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    await _ada(database, scope)
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/workflows")
    await page.get_by_role("link", name="Make the first workflow").click()
    await page.get_by_label("Name").fill("Order shipped")
    if javascript:
        await expect(page.get_by_label("Identifier")).to_have_value("order-shipped")
    await page.get_by_role("radio", name="Empty").check()
    await page.get_by_role("button", name="Make the workflow").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Order shipped")

    await page.get_by_role("button", name="In-app message").click()
    await page.get_by_label("Subject").fill("Order {{ payload.orderId }} is on its way")
    await page.get_by_label("Text").fill("Hello {{ subscriber.firstName }}")
    if javascript:
        await page.keyboard.press("Escape")
        await expect(page.locator("#preview")).to_contain_text("Order orderId is on its way")
    await _save(page)
    await expect(page.locator("#preview")).to_contain_text("Hello Ada")

    await page.get_by_role("link", name="Order shipped").click()
    await page.locator(".end .adder summary").click()
    await page.locator(".end").get_by_role("button", name="E-mail Sends").click()
    await page.get_by_label("Subject").fill("On its way")
    await page.get_by_role("button", name="+ Heading").click()
    await page.locator("#b-0-text").fill("Dear {{ subscriber.firstName }}")
    await page.get_by_role("button", name="+ Text").click()
    await page.locator("#b-1-text").fill("It is **really** on its way.")
    await page.get_by_role("button", name="Move up: block 2").click()
    await expect(page.locator("#b-0-text")).to_have_value("It is **really** on its way.")
    await _save(page)
    mail = page.frame_locator(".mail-frame")
    await expect(mail.locator("h1")).to_have_text("Dear Ada")
    await expect(mail.locator("strong")).to_have_text("really")

    await page.get_by_role("link", name="Order shipped").click()
    await page.get_by_role("switch").click()
    await expect(page.get_by_role("switch")).to_have_attribute("aria-checked", "true")
    await page.get_by_role("link", name="Test run").click()
    await page.get_by_label("Subscriber").fill("ada")
    await page.get_by_label("Payload").fill('{"orderId": "A-7"}')
    await page.get_by_role("button", name="Start the test run").click()
    await expect(page.locator("#run")).to_contain_text("Started")
    link = page.get_by_role("link", name="See it in Activity")
    assert "transactionId=test_" in str(await link.get_attribute("href"))
    if javascript:
        await expect(page.locator("#run .timeline")).to_contain_text("completed", timeout=30_000)
    stored = await _stored(database, scope, "order-shipped")
    assert [step.type for step in stored.steps] == ["in_app", "email"]
    assert (stored.status, stored.version) == ("ACTIVE", 6)


async def test_a_wrong_variable_is_told_at_its_field_while_typing(
    signed_in: SignIn, home: str, workflow: Workflow
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped/steps/tell-in-the-app")
    body = page.get_by_label("Text", exact=True)
    await body.fill("Hello\n{{ payload.oder }}")
    await page.keyboard.press("Escape")
    await expect(page.locator("#i-body")).to_contain_text("payload.oder")
    await expect(page.locator("#i-body")).to_contain_text("line 2")
    await expect(body).to_have_attribute("aria-invalid", "true")
    await page.get_by_role("button", name="line 2").click()
    assert await page.evaluate("getSelection().toString()") == "{{ payload.oder }}"
    await body.fill("Hello {{ payload.orderId }}")
    await page.keyboard.press("Escape")
    await expect(page.locator("#i-body")).to_be_empty()
    await _save(page)
    await page.goto(f"{home}/workflows/order-shipped/steps/write-an-e-mail")
    await page.locator("#b-1-text").fill("{{ payload.nothing }}")
    await page.keyboard.press("Escape")
    await expect(page.locator("[id='i-block.1']")).to_contain_text("payload.nothing")


async def test_variables_are_completed_by_keyboard(
    signed_in: SignIn, home: str, workflow: Workflow
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped/steps/tell-in-the-app")
    subject = page.get_by_label("Subject")
    await subject.fill("")
    await subject.press_sequentially("To {{ subscriber.first")
    await expect(page.locator("#completion li").first).to_contain_text("subscriber.firstName")
    await subject.press("Enter")
    await expect(subject).to_have_value("To {{ subscriber.firstName }}")
    await subject.press_sequentially(" {{pay")
    await subject.press("ArrowDown")
    await subject.press("ArrowUp")
    await subject.press("Tab")
    await expect(subject).to_have_value("To {{ subscriber.firstName }} {{ payload.orderId }}")
    await expect(page.locator("#preview")).to_contain_text("To Ada A-1001")


@pytest.mark.parametrize("javascript", [True, False])
async def test_conditions_are_built_line_by_line(
    signed_in: SignIn, database: Database, scope: Scope, home: str, javascript: bool
) -> None:
    await seed(database, scope, steps=STEPS[:1])
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/workflows/order-shipped/steps/tell-in-the-app")
    await page.get_by_role("button", name="Add a condition").click()
    await page.get_by_label("Field").fill("payload.total")
    await page.get_by_label("Value").fill("100")
    await page.get_by_role("button", name="Add a group").click()
    await page.locator("[name='q.1.0.field']").fill("subscriber.data.plan")
    await page.locator("[name='q.1.0.value']").fill("pro")
    await _save(page)
    stored = await _stored(database, scope, "order-shipped")
    assert stored.steps[0].controls["skip"] == {
        "and": [
            {"==": [{"var": "payload.total"}, 100]},
            {"or": [{"==": [{"var": "subscriber.data.plan"}, "pro"]}]},
        ]
    }
    await page.get_by_role("button", name="Write it as JSON").click()
    await expect(page.get_by_label("Condition as JSON")).to_contain_text('"var": "payload.total"')
    await page.get_by_label("Condition as JSON").fill("{oops")
    await page.get_by_role("button", name="Save the step").click()
    await expect(page.locator("#i-skip")).to_contain_text("Must be a JSON object")
    await expect(page.get_by_label("Condition as JSON")).to_have_value("{oops")


async def test_steps_are_moved_copied_and_removed_and_versions_bring_them_back(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await seed(database, scope, steps=STEPS[:3])
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped")

    async def names() -> list[str]:
        return await page.locator(".node-name").all_inner_texts()

    await page.get_by_role("button", name="Move Write an e-mail up").click()
    await expect(page.get_by_role("status")).to_contain_text("is step 2 of 3 now")
    assert await names() == ["Tell in the app", "Write an e-mail", "Wait a little"]
    await page.get_by_role("button", name="Duplicate Tell in the app").click()
    await expect(page.locator(".node-name")).to_have_count(4)
    await page.locator(".node-tools > button", has_text="Remove").nth(3).click()
    dialog = page.get_by_role("dialog", name="Remove “Wait a little”?")
    await dialog.get_by_role("button", name="Remove it").click()
    await expect(page.locator(".node-name")).to_have_count(3)
    await page.get_by_role("link", name="Versions").click()
    await page.get_by_role("row").filter(has_text="created").get_by_role("link").first.click()
    await expect(page.get_by_role("main")).to_contain_text("Step wait-a-little removed")
    await page.get_by_role("button", name="Restore").click()
    await page.get_by_role("dialog").get_by_role("button", name="Bring it back").click()
    await expect(page.get_by_role("status")).to_contain_text("Version 1 is back, as version 5.")
    assert await names() == ["Tell in the app", "Wait a little", "Write an e-mail"]


async def test_a_step_is_added_with_the_keyboard_alone(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    await seed(database, scope, steps=STEPS[:1])
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped")

    async def go_to(text: str) -> None:
        for _ in range(80):
            await page.keyboard.press("Tab")
            if text in str(await page.evaluate("document.activeElement.innerText")):
                return
        raise AssertionError(f"{text} was never reached")

    await go_to("Add a step here")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="In-app message")).to_be_focused()
    await go_to("SMS")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("SMS")
    await page.get_by_label("Text").focus()
    await page.keyboard.type("Hello " + "x" * 160)
    await expect(page.locator("[data-segments]")).to_have_text("2")
    await page.keyboard.press("Control+s")
    await expect(page.get_by_role("status")).to_contain_text("Saved as version 3.")
    stored = await _stored(database, scope, "order-shipped")
    assert [step.type for step in stored.steps] == ["sms", "in_app"]


async def test_a_workflow_is_published_after_its_difference_was_shown(
    signed_in: SignIn, database: Database, scope: Scope, other_scope: Scope, home: str
) -> None:
    await seed(database, scope, steps=STEPS[:1])
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped/publish")
    await expect(page.get_by_role("main")).to_contain_text("Production does not have it yet")
    await page.get_by_role("button", name="Publish to Production").click()
    await expect(page.get_by_role("main")).to_contain_text("There is nothing to publish")
    await page.goto(f"{home}/workflows/order-shipped/steps/tell-in-the-app")
    await page.get_by_label("Subject").fill("Another subject")
    await _save(page)
    await page.goto(f"{home}/workflows/order-shipped/publish")
    await expect(page.locator(".diff ins")).to_have_text("Another subject")
    assert (await _stored(database, other_scope, "order-shipped")).version == 1
    await page.get_by_role("button", name="Publish to Production").click()
    await expect(page.get_by_role("status")).to_contain_text("is in Production now")
    published = await _stored(database, other_scope, "order-shipped")
    assert published.steps[0].controls["subject"] == "Another subject"


async def test_viewers_see_all_of_it_and_change_nothing(
    signed_in: SignIn, database: Database, scope: Scope, home: str, workflow: Workflow
) -> None:
    page = await signed_in("viewer")
    at = f"{home}/workflows/order-shipped"
    await page.goto(f"{at}/steps/write-an-e-mail")
    await expect(page.get_by_label("Subject")).to_be_disabled()
    await expect(page.get_by_role("button", name="Save the step")).to_have_count(0)
    await expect(page.frame_locator(".mail-frame").locator("h1")).to_contain_text("Good news")
    token = str(await page.locator("meta[name=csrf]").get_attribute("content"))
    for path in (
        f"{home}/workflows/new",
        f"{home}/layouts/new",
        f"{at}/active",
        f"{at}/duplicate",
        f"{at}/delete",
        f"{at}/settings",
        f"{at}/payload",
        f"{at}/test",
        f"{at}/publish",
        f"{at}/steps",
        f"{at}/steps/write-an-e-mail",
        f"{at}/steps/write-an-e-mail/move",
        f"{at}/steps/write-an-e-mail/delete",
        f"{at}/versions/1/restore",
    ):
        answer = await page.request.post(path, form={"csrf": token, "name": "x", "to": "up"})
        assert answer.status == 403, path
    assert await _stored(database, scope, "order-shipped") == workflow


async def test_nobody_overwrites_what_another_saved_unknowingly(
    signed_in: SignIn, database: Database, scope: Scope, home: str, workflow: Workflow
) -> None:
    page, other = await signed_in("editor"), await signed_in("owner")
    for each in (page, other):
        await each.goto(f"{home}/workflows/order-shipped/steps/text")
    await other.get_by_label("Text", exact=True).fill("Theirs")
    await _save(other)
    await page.get_by_label("Text", exact=True).fill("Mine")
    await page.get_by_role("button", name="Save the step").click()
    await expect(page.get_by_role("alert")).to_contain_text("Owner Example saved this step")
    await expect(page.get_by_label("Text", exact=True)).to_have_value("Mine")
    await _save(page)
    stored = await _stored(database, scope, "order-shipped")
    assert stored.steps[3].controls["body"] == "Mine"


async def test_the_list_is_searched_and_a_workflow_copied_and_deleted(
    signed_in: SignIn, database: Database, scope: Scope, home: str, workflow: Workflow
) -> None:
    await seed(database, scope, "welcome", STEPS[:1], name="Welcome", active=False)
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows")
    await page.get_by_label("Search").fill("welc")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.get_by_role("button", name="Duplicate Welcome").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Welcome (copy)")
    await page.goto(f"{home}/workflows?status=INACTIVE")
    await expect(page.locator("tbody tr")).to_have_count(2)
    row = page.get_by_role("row", name="Welcome (copy)")
    await row.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete “Welcome (copy)”?")
    await dialog.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("status")).to_contain_text("Welcome (copy) is deleted.")
    await page.goto(f"{home}/workflows?q=nothing")
    await expect(page.get_by_role("main")).to_contain_text("Nothing matches")


async def test_settings_and_payload_are_saved(
    signed_in: SignIn, database: Database, scope: Scope, home: str, workflow: Workflow
) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/workflows/order-shipped/settings")
    await page.get_by_label("Tags").fill("orders, big")
    await page.get_by_label("Severity").select_option("high")
    await page.get_by_label("SMS").uncheck()
    await page.get_by_label("Critical").check()
    await page.get_by_role("button", name="Save the settings").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved as version 2.")
    await page.get_by_role("link", name="Payload").click()
    await page.get_by_label("JSON Schema").fill("{")
    await page.get_by_role("button", name="Save the schema").click()
    await expect(page.locator("#w-payloadSchema")).to_contain_text("Is not JSON")
    await page.get_by_label("JSON Schema").fill('{"type": "object", "required": ["orderId"]}')
    await page.get_by_label("Refuse triggers").check()
    await page.get_by_role("button", name="Save the schema").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved as version 3.")
    stored = await _stored(database, scope, "order-shipped")
    assert (stored.tags, stored.severity, stored.validate_payload) == (
        ["orders", "big"],
        "high",
        True,
    )
    assert stored.preferences.critical
    assert not stored.preferences.default.channels["sms"].enabled


async def test_a_hostile_text_is_only_text_everywhere(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    texts = corpus()
    html = "\n".join(texts[:-6])
    block = _document(*({"type": "paragraph", "content": _text(each)} for each in texts))
    steps: list[tuple[str, StepType, dict[str, Any]]] = [
        (texts[0], "in_app", {"subject": texts[2], "body": "\n".join(texts), "avatar": texts[7]}),
        (texts[1], "email", {"subject": texts[3], "body": html, "editorType": "html"}),
        (texts[4], "email", {"subject": texts[5], "body": block}),
        (texts[6], "push", {"subject": texts[8], "body": texts[9]}),
        (texts[10], "delay", {"type": "dynamic", "dynamicKey": texts[2]}),
    ]
    made = await seed(
        database,
        scope,
        steps=steps,
        name=texts[1],
        description=texts[2],
        tags=texts[3:6],
        payload_schema={"type": "object", "properties": {texts[0]: {"example": texts[2]}}},
    )
    page = await signed_in("editor")
    at = f"{home}/workflows/order-shipped"
    places = ["", "/settings", "/payload", "/test", "/versions", "/versions/1", "/publish"]
    for path in [f"{home}/workflows", *(at + each for each in places)]:
        await page.goto(path)
        await check_inert(page)
    for step in made.steps:
        answer = await page.goto(f"{at}/steps/{step.id}")
        assert answer is not None
        assert answer.status == 200
        await page.wait_for_load_state("networkidle")
        await check_inert(page)
