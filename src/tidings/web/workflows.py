"""Workflows: the list, making, copying and deleting them, and what one consists of."""

from collections.abc import Mapping
from typing import Any, cast, get_args

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import workflows as actions
from tidings.domain import schemas, slugs, variables
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.errors import InvalidError
from tidings.domain.workflows import Status, Workflow
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import connections, workflows
from tidings.storage.database import Connection
from tidings.storage.workflows import Filter, Window
from tidings.web import steps_blocks
from tidings.web.handlers import Entry, change, view
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_parts import (
    STEP_WORDS,
    author,
    delivery_issue,
    issue_count,
    page,
    place,
    summary,
)

_PAGE = 50
STATUSES: Mapping[Status, tuple[str, str]] = {
    "ACTIVE": ("Active", "good"),
    "INACTIVE": ("Inactive", ""),
    "ERROR": ("Needs attention", "bad"),
}


@view("/{environment:str}/workflows")
async def show_workflows(visit: InVisit, conn: Conn) -> Response[str]:
    query = visit.query
    status = query.get("status")
    tag, number = query.get("tag"), query.get("page")
    offset = _PAGE * int(number) if number.isdecimal() and len(number) < 6 else 0
    filter = Filter(
        query=query.text("q"),
        tags=[tag] if tag else [],
        statuses=[cast(Status, status)] if status in get_args(Status) else [],
    )
    window = Window(order_by="updatedAt", limit=_PAGE, offset=offset)
    found, total = await workflows.page(conn, visit.scope, filter, window)
    present = await connections.of(conn, visit.scope)
    return visit.page(
        "workflows/list.html",
        title="Workflows",
        found=found,
        total=total,
        offset=offset,
        size=_PAGE,
        filtered=bool(filter.query or filter.tags or filter.statuses),
        tags=await workflows.tags(conn, visit.scope),
        statuses=STATUSES,
        words=STEP_WORDS,
        place=place,
        issue_count=issue_count,
        undelivered={
            each.id: [said for step in each.steps if (said := delivery_issue(step, present))]
            for each in found
        },
    )


def _blocks(*given: tuple[str, dict[str, str]]) -> str:
    return steps_blocks.body([steps_blocks.Block(kind, answers) for kind, answers in given])


_IN_APP = StepDraft(
    name="In-app message",
    type="in_app",
    controls={"subject": "Hello {{ subscriber.firstName }}", "body": "Something happened."},
)
_EMAIL = StepDraft(
    name="E-mail",
    type="email",
    controls={
        "subject": "Hello {{ subscriber.firstName }}",
        "body": _blocks(
            ("heading", {"text": "Hello {{ subscriber.firstName }}", "level": "1"}),
            ("paragraph", {"text": "Something happened that **you** may want to know."}),
            ("button", {"text": "Have a look", "url": "https://example.com", "variant": "filled"}),
        ),
    },
)
_DIGEST = StepDraft(
    name="Digest", type="digest", controls={"type": "regular", "amount": 1, "unit": "hours"}
)
_GATHERED = StepDraft(
    name="E-mail",
    type="email",
    controls={
        "subject": "{{ steps.digest.eventCount }} new things for you",
        "body": _blocks(
            ("heading", {"text": "What you missed", "level": "1"}),
            ("repeat", {"each": "steps.digest.events", "text": "• {{ current.payload.text }}"}),
        ),
    },
)
STARTS: Mapping[str, tuple[str, str, list[StepDraft]]] = {
    "empty": ("Empty", "You add the steps.", []),
    "message": ("In-app message and e-mail", "Told at once, and by e-mail.", [_IN_APP, _EMAIL]),
    "digest": ("Hourly digest", "Gathers what happens and sends one e-mail.", [_DIGEST, _GATHERED]),
}


async def _new(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page("workflows/new.html", title="New workflow", starts=STARTS)


@view("/{environment:str}/workflows/new", role="editor")
async def show_new_workflow(visit: InVisit, conn: Conn) -> Response[str]:
    return await _new(visit, conn, {})


@change("/{environment:str}/workflows/new", does="workflow.create", again=_new)
async def create_workflow(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    name = visit.form.get("name").strip()
    key = visit.form.text("workflowId") or slugs.slugify(name) or "workflow"
    if await workflows.by_key(tx, visit.scope, key) is not None:
        raise InvalidError.of("workflowId", f"is taken: there is a workflow {key!r} already")
    _, _, steps = STARTS.get(visit.form.get("start"), STARTS["empty"])
    draft = Draft(
        name=name,
        description=visit.form.get("description").strip(),
        steps=steps,
        active=bool(steps),
    )
    made = await actions.create(tx, visit.scope, world, key, draft, author(visit))
    visit.touch(made.id, made.name)
    return visit.go(visit.at("workflows", place(made)), "The workflow is made.")


@view("/{environment:str}/workflows/{workflow:str}")
async def show_workflow(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    return await _one(visit, conn, {"workflow": workflow})


async def _one(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    present = await connections.of(conn, visit.scope)
    added = visit.query.get("add")
    wanted = int(added) if added.isdecimal() and len(added) < 4 else None
    return page(
        visit,
        found,
        "steps",
        "show",
        summary=summary,
        undelivered={step.id: delivery_issue(step, present) for step in found.steps},
        issue_count=issue_count,
        trigger=_trigger(visit, found),
        adding=wanted if wanted is not None and wanted < len(found.steps) else None,
    )


def _trigger(visit: Visit, workflow: Workflow) -> str:
    body = msgspec.json.encode(
        {"name": workflow.key, "to": {"subscriberId": "ada"}, "payload": _example(workflow)}
    ).decode()
    address = visit.places.address(visit.places.api("/v1/events/trigger"))
    quoted = body.replace("'", "'\\''")
    return (
        f"curl -X POST {address} \\\n  -H 'Authorization: ApiKey YOUR_KEY' \\\n"
        f"  -H 'Content-Type: application/json' \\\n  -d '{quoted}'"
    )


def _example(workflow: Workflow) -> dict[str, Any]:
    found = schemas.example(variables.payload_of(workflow))
    return found if isinstance(found, dict) else {}


@change("/{environment:str}/workflows/{workflow:str}/active", does="workflow.switch", again=_one)
async def switch_workflow(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    draft = Draft(active=visit.form.flag("active"))
    saved = await actions.change(tx, visit.scope, world, workflow, draft, author(visit))
    visit.touch(saved.id, saved.name, active=saved.active)
    said = (
        "It is active: triggers start it."
        if saved.active
        else "It is inactive: triggers are not taken."
    )
    return visit.go(visit.at("workflows", place(saved)), said)


@change("/{environment:str}/workflows/{workflow:str}/duplicate", does="workflow.create", again=_one)
async def duplicate_workflow(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    source = await workflows.get(tx, visit.scope, workflow)
    made = await actions.duplicate(tx, visit.scope, world, source.id, Draft(), author(visit))
    visit.touch(made.id, made.name, copy_of=source.key)
    path = visit.at("workflows", place(made))
    return visit.go(path, f"{made.name} is made. It is inactive until you switch it on.")


@change("/{environment:str}/workflows/{workflow:str}/delete", does="workflow.delete", again=_one)
async def delete_workflow(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    found = await workflows.get(tx, visit.scope, workflow)
    await actions.remove(tx, visit.scope, world, found.id)
    visit.touch(found.id, found.name)
    return visit.go(visit.at("workflows"), f"{found.name} is deleted.")


HANDLERS = [
    show_workflows,
    show_new_workflow,
    create_workflow,
    show_workflow,
    switch_workflow,
    duplicate_workflow,
    delete_workflow,
]
NAV = [Entry(label="Workflows", path="workflows", icon="workflow", section="Build", order=10)]
