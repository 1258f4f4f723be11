"""Layouts: the frames around e-mails, edited with a preview at hand."""

import asyncio

from litestar import Response
from litestar.params import FromPath

from tidings.actions import layout_previews
from tidings.actions import layouts as actions
from tidings.actions.layouts import Wishes
from tidings.domain import slugs, variables
from tidings.domain.errors import InvalidError
from tidings.domain.layouts import EditorType, Frame, Layout
from tidings.hall.given import Conn, InWorld, Tx
from tidings.rendering import emails
from tidings.storage import layouts
from tidings.storage.database import Connection
from tidings.web import steps_blocks, steps_form
from tidings.web.handlers import Entry, change, view
from tidings.web.steps_block_kinds import KINDS
from tidings.web.steps_form import Edited
from tidings.web.steps_problems import Place
from tidings.web.steps_variables import FILTERS
from tidings.web.steps_variables import variables as listed
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_parts import place, tinted

_AT = "/{environment:str}/layouts"
_ONE = _AT + "/{layout:str}"
_BODY = "controlValues.email.body"
_FRESH = "{{ content }}"


@view(_AT)
async def show_layouts(visit: InVisit, conn: Conn) -> Response[str]:
    found = await layouts.all_of(conn, visit.scope)
    users = {each.id: await actions.used_by(conn, visit.scope, each) for each in found}
    return visit.page("layouts/list.html", title="Layouts", found=found, users=users, place=place)


async def _new(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page("layouts/new.html", title="New layout")


@view(_AT + "/new", role="editor")
async def show_new_layout(visit: InVisit, conn: Conn) -> Response[str]:
    return await _new(visit, conn, {})


@change(_AT + "/new", does="layout.create", again=_new)
async def create_layout(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    name = visit.form.get("name").strip()
    key = visit.form.text("layoutId") or slugs.slugify(name) or "layout"
    taken = await layouts.find(tx, visit.scope, key)
    if taken is not None and taken.key == key:
        raise InvalidError.of("layoutId", f"is taken: there is a layout {key!r} already")
    wishes = Wishes(name=name)
    if visit.form.get("editor") == "block":
        block = steps_blocks.Block("paragraph", {"text": _FRESH})
        wishes = Wishes(name=name, editor="block", body=steps_blocks.body([block]))
    made = await actions.create(tx, visit.scope, world, key, wishes)
    visit.touch(made.id, made.name)
    return visit.go(visit.at("layouts", place(made)), "The layout is made.")


# One layout


def _of_layout(layout: Layout) -> Edited:
    block = layout.editor == "block"
    return Edited(
        name=layout.name,
        controls={"editorType": layout.editor},
        blocks=steps_blocks.blocks(layout.body) if block else [],
        html="" if block else layout.body,
    )


def _of_form(visit: Visit, layout: Layout) -> Edited:
    form = visit.form
    if "name" not in form:
        return _of_layout(layout)
    return Edited(
        name=form.get("name"),
        controls={"editorType": "html" if form.get("c.editorType") == "html" else "block"},
        blocks=steps_blocks.read(form, "b"),
        html=form.get("c.html"),
    )


def _body(edited: Edited) -> str:
    return edited.html if edited.editor == "html" else steps_blocks.body(edited.blocks)


def _editor(edited: Edited) -> EditorType:
    return "html" if edited.editor == "html" else "block"


async def _drawn(visit: Visit, conn: Connection, layout: Layout, edited: Edited) -> Response[str]:
    faults = emails.check_layout(_body(edited), _editor(edited))
    if _BODY in visit.problems:
        visit.problems = {"body": visit.problems[_BODY]}
    return visit.page(
        "layouts/edit.html",
        title=layout.name,
        layout=layout,
        edited=edited,
        base=visit.at("layouts", place(layout)),
        place=place,
        problems_at={"body": [Place(fault.message, fault.line) for fault in faults]},
        users=await actions.used_by(conn, visit.scope, layout),
        variables=listed(variables.LAYOUT),
        filters=FILTERS,
        block_kinds=KINDS,
    )


@view(_ONE)
async def show_layout(visit: InVisit, conn: Conn, layout: FromPath[str]) -> Response[str]:
    found = await layouts.get(conn, visit.scope, layout)
    return await _drawn(visit, conn, found, _of_layout(found))


async def _again(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await layouts.get(conn, visit.scope, given["layout"])
    return await _drawn(visit, conn, found, _of_form(visit, found))


@change(_ONE, does="layout.update", again=_again)
async def save_layout(
    visit: InVisit, tx: Tx, world: InWorld, layout: FromPath[str]
) -> Response[str]:
    found = await layouts.get(tx, visit.scope, layout)
    edited = _of_form(visit, found)
    wishes = Wishes(name=edited.name.strip(), body=_body(edited), editor=_editor(edited))
    saved = await actions.change(tx, visit.scope, world, found.id, wishes)
    visit.touch(saved.id, saved.name)
    return visit.go(visit.at("layouts", place(saved)), "The layout is saved.")


@change(_ONE + "/draft", does=None)
async def redraw_layout(visit: InVisit, tx: Tx, layout: FromPath[str]) -> Response[str]:
    """The form after one of its buttons; nothing is saved."""
    found = await layouts.get(tx, visit.scope, layout)
    edited = steps_form.changed(_of_form(visit, found), visit.form.get("do"))
    return await _drawn(visit, tx, found, edited)


@change(_ONE + "/preview", does=None, role="viewer")
async def preview_layout(visit: InVisit, tx: Tx, layout: FromPath[str]) -> Response[str]:
    found = await layouts.get(tx, visit.scope, layout)
    return await _drawn(visit, tx, found, _of_form(visit, found))


@view(_ONE + "/frame")
async def show_frame(visit: InVisit, conn: Conn, layout: FromPath[str]) -> Response[str]:
    return await _frame(visit, conn, layout)


@change(_ONE + "/frame", does=None, role="viewer")
async def preview_frame(visit: InVisit, tx: Tx, layout: FromPath[str]) -> Response[str]:
    return await _frame(visit, tx, layout)


async def _frame(visit: Visit, conn: Connection, reference: str) -> Response[str]:
    found = await layouts.get(conn, visit.scope, reference)
    edited = _of_form(visit, found)
    frame = Frame(key=found.key, name=edited.name, body=_body(edited), editor=_editor(edited))
    shown = await asyncio.to_thread(layout_previews.preview, frame, {})
    return visit.framed(tinted(shown.html, visit.form.get("tint")))


@change(_ONE + "/default", does="layout.update", again=_again)
async def make_default(
    visit: InVisit, tx: Tx, world: InWorld, layout: FromPath[str]
) -> Response[str]:
    found = await layouts.get(tx, visit.scope, layout)
    saved = await actions.change(tx, visit.scope, world, found.id, Wishes(is_default=True))
    visit.touch(saved.id, saved.name, default=True)
    said = f"E-mails that name no layout are sent in {saved.name} now."
    return visit.go(visit.at("layouts"), said)


@change(_ONE + "/delete", does="layout.delete", again=_again)
async def delete_layout(
    visit: InVisit, tx: Tx, world: InWorld, layout: FromPath[str]
) -> Response[str]:
    found = await layouts.get(tx, visit.scope, layout)
    await actions.remove(tx, visit.scope, world, found.id)
    visit.touch(found.id, found.name)
    return visit.go(visit.at("layouts"), f"{found.name} is deleted.")


HANDLERS = [
    show_layouts,
    show_new_layout,
    create_layout,
    show_layout,
    save_layout,
    redraw_layout,
    preview_layout,
    show_frame,
    preview_frame,
    make_default,
    delete_layout,
]
NAV = [Entry(label="Layouts", path="layouts", icon="layout", section="Build", order=12)]
