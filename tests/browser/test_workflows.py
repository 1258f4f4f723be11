"""The pages about workflows, as people use them."""

from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.conftest import SignIn
from tests.browser.shots import shoot
from tests.browser.visiting import LOOKS, check_page
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
        {"or": [{">": [{"var": "payload.total"}, 100]}, {"contains": [{"var": "payload.orderId"}, "VIP"]}]},
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


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
async def test_the_pages_look_well(
    signed_in: SignIn,
    database: Database,
    scope: Scope,
    home: str,
    workflow: Workflow,
    width: str,
    scheme: str,
) -> None:
    await seed(
        database, scope, "welcome", STEPS[:1], name="Welcome", tags=["onboarding"], active=False
    )
    broken = [("Mail", "email", {"subject": "{{ payload.nope }}"})]
    await seed(database, scope, "broken", broken, name="Weekly report")  # type: ignore[arg-type]
    page = await signed_in("editor", width, scheme)
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
        await page.goto(path)
        await check_page(page)
        await shoot(page, f"workflows/{name}-{width}-{scheme}")
