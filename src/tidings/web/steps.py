"""One step of a workflow: its form, what it would send, and its place among the others."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import checking, previews
from tidings.actions import workflows as actions
from tidings.actions.previews import Preview
from tidings.dialect import Dialect
from tidings.domain import variables
from tidings.domain.comparisons import RELATIVE, UNITS
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.segments import segments
from tidings.domain.workflows import Step, Workflow, find_step
from tidings.hall.given import Conn, InDialect, InWorld, Tx
from tidings.rendering import plain
from tidings.steps import cron
from tidings.steps.registry import kind_of
from tidings.storage import connections, layouts, workflow_versions, workflows
from tidings.storage.database import Connection
from tidings.web import steps_form
from tidings.web.handlers import change, view
from tidings.web.steps_block_kinds import KINDS
from tidings.web.steps_conditions import ONE_SIDED, OPERATORS
from tidings.web.steps_form import NO_LAYOUT, Edited
from tidings.web.steps_problems import located
from tidings.web.steps_variables import FILTERS
from tidings.web.steps_variables import variables as listed
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_parts import (
    STEP_WORDS,
    author,
    delivery_issue,
    drafts_of,
    page,
    place,
    tinted,
    waiting,
    with_step,
)
from tidings.world import World

_AT = "/{environment:str}/workflows/{workflow:str}/steps"
_ONE = _AT + "/{step:str}"
_MOST_NAMES = 100
_TIMES = 3


# Looking at a step


@view(_ONE)
async def show_step(
    visit: InVisit,
    conn: Conn,
    world: InWorld,
    dialect: InDialect,
    workflow: FromPath[str],
    step: FromPath[str],
) -> Response[str]:
    found = await workflows.get(conn, visit.scope, workflow)
    edited = steps_form.of_step(find_step(found, step))
    return await _drawn(visit, conn, world, dialect, found, find_step(found, step), edited)


async def _drawn(
    visit: Visit,
    conn: Connection,
    world: World,
    dialect: Dialect,
    workflow: Workflow,
    step: Step,
    edited: Edited,
) -> Response[str]:
    kind = kind_of(step.type)
    present = await connections.of(conn, visit.scope)
    shown = await _preview(visit, conn, world, workflow, step, edited)
    payload = variables.payload_of(workflow)
    known = variables.schema(payload, checking.results_before(workflow.steps, step, payload))
    return page(
        visit,
        workflow,
        "steps",
        "step",
        title=f"{edited.name or step.name} · {workflow.name}",
        step=step,
        edited=edited,
        base=visit.at("workflows", place(workflow), "steps", place(step)),
        fields=steps_form.fields(kind, edited, await _layout_choices(conn, visit)),
        problems_at=located(step.type, edited, shown.issues),
        undelivered=delivery_issue(step, present),
        preview=shown,
        sample=_sample_text(visit, shown),
        segments=segments(str(shown.content.get("body", ""))) if step.type == "sms" else None,
        waiting=waiting(msgspec.structs.replace(step, controls=edited.controls)),
        moments=_moments(edited.controls.get("cron"), visit.now),
        plain_subject=_plain(shown.content.get("subject")),
        plain_body=_plain(shown.content.get("body")) if step.type == "in_app" else "",
        variables=listed(known),
        filters=FILTERS,
        block_kinds=KINDS,
        operators=OPERATORS,
        one_sided=ONE_SIDED,
        relative=RELATIVE,
        units=list(UNITS),
        runs_when=dialect.skip_runs_the_step,
        place_of=[each.id for each in workflow.steps].index(step.id),
    )


def _moments(expression: Any, now: datetime) -> list[str]:
    """The next few times of a cron expression."""
    found: list[str] = []
    if not isinstance(expression, str) or cron.problem(expression):
        return found
    for _ in range(_TIMES):
        moment = cron.next_after(expression, now, UTC)
        if moment is None:
            break
        found.append(f"{moment:%a %Y-%m-%d %H:%M}")
        now = moment
    return found


def _plain(value: Any) -> str:
    """Texts of the inbox may have inline HTML; here it is read, never obeyed."""
    text = value if isinstance(value, str) else ""
    return plain.from_html(text).strip() if "<" in text else text


async def _layout_choices(conn: Connection, visit: Visit) -> list[tuple[str, str]]:
    found = await layouts.all_of(conn, visit.scope)
    default = next((each.name for each in found if each.is_default), "built in")
    return [
        ("", f"The default one ({default})"),
        (NO_LAYOUT, "None"),
        *((each.key, each.name) for each in found),
    ]


def _sample_text(visit: Visit, shown: Preview) -> str:
    if "sample" in visit.form:
        return visit.form.get("sample")
    names = [name for name in ("payload", "subscriber", "steps") if shown.sample.get(name)]
    kept = {name: shown.sample[name] for name in names}
    return msgspec.json.format(msgspec.json.encode(kept), indent=2).decode()


async def _preview(
    visit: Visit, conn: Connection, world: World, workflow: Workflow, step: Step, edited: Edited
) -> Preview:
    known = {layout.key: layout for layout in await layouts.all_of(conn, visit.scope)}
    default = next((layout for layout in known.values() if layout.is_default), None)
    given = _sample(visit.form.get("sample"))
    return await asyncio.to_thread(
        previews.preview, workflow, step, edited.controls, given, known, default, world.limits
    )


def _sample(text: str) -> dict[str, Any]:
    """What was typed as sample data; nothing while it is no JSON."""
    try:
        found = msgspec.json.decode(text) if text.strip() else {}
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _edited(visit: Visit, step: Step) -> Edited:
    """The form that was sent, or the step as it is for those who may not change it."""
    if "name" not in visit.form:
        return steps_form.of_step(step)
    return steps_form.of_form(kind_of(step.type), visit.form, step)


@change(_ONE + "/preview", does=None, role="viewer")
async def preview_step(
    visit: InVisit,
    tx: Tx,
    world: InWorld,
    dialect: InDialect,
    workflow: FromPath[str],
    step: FromPath[str],
) -> Response[str]:
    """What the form as it stands would send, and what is wrong with it."""
    found = await workflows.get(tx, visit.scope, workflow)
    one = find_step(found, step)
    return await _drawn(visit, tx, world, dialect, found, one, _edited(visit, one))


@change(_ONE + "/draft", does=None)
async def redraw_step(
    visit: InVisit,
    tx: Tx,
    world: InWorld,
    dialect: InDialect,
    workflow: FromPath[str],
    step: FromPath[str],
) -> Response[str]:
    """The form after one of its buttons; nothing is saved."""
    found = await workflows.get(tx, visit.scope, workflow)
    one = find_step(found, step)
    edited = steps_form.changed(_edited(visit, one), visit.form.get("do"))
    return await _drawn(visit, tx, world, dialect, found, one, edited)


@view(_ONE + "/frame")
async def show_document(
    visit: InVisit, conn: Conn, world: InWorld, workflow: FromPath[str], step: FromPath[str]
) -> Response[str]:
    return await _document(visit, conn, world, workflow, step)


@change(_ONE + "/frame", does=None, role="viewer")
async def preview_document(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str], step: FromPath[str]
) -> Response[str]:
    """The e-mail that the form as it stands makes, for a frame of its own."""
    return await _document(visit, tx, world, workflow, step)


async def _document(
    visit: Visit, conn: Connection, world: World, workflow: str, step: str
) -> Response[str]:
    found = await workflows.get(conn, visit.scope, workflow)
    one = find_step(found, step)
    shown = await _preview(visit, conn, world, found, one, _edited(visit, one))
    if shown.html is None:
        raise RefusedError("Only e-mail steps have a document.")
    return visit.framed(tinted(shown.html, visit.form.get("tint")))


# Changing a step


@change(_ONE, does="workflow.update")
async def save_step(
    visit: InVisit,
    tx: Tx,
    world: InWorld,
    dialect: InDialect,
    workflow: FromPath[str],
    step: FromPath[str],
) -> Response[str]:
    found = await workflows.lock(tx, visit.scope, workflow)
    one = find_step(found, step)
    edited = _edited(visit, one)
    try:
        saved = await _saved(visit, tx, world, found, one, edited)
    except InvalidError as error:
        visit.problems = error.problems
        return await _drawn(visit, tx, world, dialect, found, one, edited)
    visit.touch(saved.id, saved.name, step=one.key, version=saved.version)
    said = f"Saved as version {saved.version}."
    if saved.version == found.version:
        said = "There was nothing to save."
    return visit.go(visit.at("workflows", place(saved), "steps", place(one)), said)


async def _saved(
    visit: Visit, tx: Connection, world: World, found: Workflow, step: Step, edited: Edited
) -> Workflow:
    steps_form.check(edited)
    await _refuse_overwriting(visit, tx, found, step)
    changed = msgspec.structs.replace(step, name=edited.name.strip(), controls=edited.controls)
    if not changed.name:
        raise InvalidError.of("name", "must not be empty")
    draft = Draft(steps=with_step(found, changed))
    return await actions.change(tx, visit.scope, world, found.id, draft, author(visit))


async def _refuse_overwriting(visit: Visit, tx: Connection, found: Workflow, step: Step) -> None:
    """Two people may edit one workflow; nobody undoes what another saved without knowing."""
    seen = visit.form.get("version")
    if not seen.isdecimal() or int(seen) == found.version or len(seen) > 9:
        return
    before = await workflow_versions.get(tx, visit.scope, found.id, int(seen))
    assert before.definition is not None
    then = next((each for each in before.definition.steps if each.id == step.id), None)
    if then is not None and (then.controls, then.name) == (step.controls, step.name):
        return
    last = await workflow_versions.get(tx, visit.scope, found.id, found.version)
    who = last.saved_by.name if last.saved_by else "Somebody"
    raise InvalidError.of(
        "",
        f"{who} saved this step meanwhile (version {found.version}). What you see is yours: save "
        "again to replace theirs, or open the step anew to see it.",
    )


async def _list_again(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    return visit.go(
        visit.at("workflows", given["workflow"]), visit.wrong("") or _first(visit), "bad"
    )


def _first(visit: Visit) -> str:
    return next((f"{name} {visit.wrong(name)}" for name in visit.problems), "That did not work.")


@change(_AT, does="workflow.update", again=_list_again)
async def add_step(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    wanted = visit.form.get("type")
    type = next((type for type in STEP_WORDS if type == wanted), None)
    if type is None:
        raise InvalidError.of("type", "must be one of " + ", ".join(STEP_WORDS))
    found = await workflows.lock(tx, visit.scope, workflow)
    after = visit.form.get("after")
    where = int(after) if after.isdecimal() and int(after) <= len(found.steps) else len(found.steps)
    name = _free_name(STEP_WORDS[type].label, [step.name for step in found.steps])
    steps = drafts_of(found)
    steps.insert(where, StepDraft(name=name, type=type, controls={}))
    saved = await _reordered(visit, tx, world, found, steps)
    path = visit.at("workflows", place(saved), "steps", place(saved.steps[where]))
    return visit.go(path, f"{name} is added. Fill it in.")


def _free_name(wanted: str, taken: Sequence[str]) -> str:
    numbered = (f"{wanted} {number}" for number in range(2, _MOST_NAMES))
    return next(name for name in (wanted, *numbered) if name not in taken)


async def _reordered(
    visit: Visit, tx: Connection, world: World, found: Workflow, steps: list[StepDraft]
) -> Workflow:
    saved = await actions.change(
        tx, visit.scope, world, found.id, Draft(steps=steps), author(visit)
    )
    visit.touch(saved.id, saved.name, version=saved.version)
    return saved


@change(_ONE + "/move", does="workflow.update", again=_list_again)
async def move_step(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str], step: FromPath[str]
) -> Response[str]:
    found = await workflows.lock(tx, visit.scope, workflow)
    one = find_step(found, step)
    steps = drafts_of(found)
    former = [each.id for each in steps].index(one.id)
    moved = steps.pop(former)
    to = visit.form.get("to")
    target = {"up": former - 1, "down": former + 1}.get(to, int(to) if to.isdecimal() else former)
    target = min(max(target, 0), len(steps))
    steps.insert(target, moved)
    saved = await _reordered(visit, tx, world, found, steps)
    said = f"{one.name} is step {target + 1} of {len(saved.steps)} now."
    return visit.go(visit.at("workflows", place(saved)) + f"#step-{one.id}", said)


@change(_ONE + "/duplicate", does="workflow.update", again=_list_again)
async def duplicate_step(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str], step: FromPath[str]
) -> Response[str]:
    found = await workflows.lock(tx, visit.scope, workflow)
    one = find_step(found, step)
    where = [each.id for each in found.steps].index(one.id) + 1
    name = _free_name(f"{one.name} (copy)", [each.name for each in found.steps])
    steps = drafts_of(found)
    steps.insert(where, StepDraft(name=name, type=one.type, controls=one.controls))
    saved = await _reordered(visit, tx, world, found, steps)
    return visit.go(visit.at("workflows", place(saved)), f"{name} is added after {one.name}.")


@change(_ONE + "/delete", does="workflow.update", again=_list_again)
async def remove_step(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str], step: FromPath[str]
) -> Response[str]:
    found = await workflows.lock(tx, visit.scope, workflow)
    one = find_step(found, step)
    steps = [each for each in drafts_of(found) if each.id != one.id]
    saved = await _reordered(visit, tx, world, found, steps)
    said = f"{one.name} is removed. Versions has it, should you want it back."
    return visit.go(visit.at("workflows", place(saved)), said)


HANDLERS = [
    show_step,
    preview_step,
    redraw_step,
    show_document,
    preview_document,
    save_step,
    add_step,
    move_step,
    duplicate_step,
    remove_step,
]
