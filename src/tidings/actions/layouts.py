"""Saving, copying and removing layouts."""

import msgspec
from msgspec import UNSET, UnsetType

from tidings.actions import workflows
from tidings.domain import layouts
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.layouts import EditorType, Frame, Layout
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.rendering import emails
from tidings.storage import layouts as stored
from tidings.storage import workflows as stored_workflows
from tidings.storage.database import Connection
from tidings.world import World

_SUFFIX_BYTES = 2


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is absent stays as it was."""

    name: str | UnsetType = UNSET
    body: str | UnsetType = UNSET
    editor: EditorType | UnsetType = UNSET
    is_default: bool | UnsetType = UNSET
    is_translation_enabled: bool | UnsetType = UNSET


async def create(tx: Connection, scope: Scope, world: World, key: str, wishes: Wishes) -> Layout:
    """A new layout, the default one if it is the first; a suffix is added to a layoutId that is
    taken. Without a body it starts from the built-in frame."""
    frame = _applied(Frame(key=key, name=key, body=emails.DEFAULT_LAYOUT), wishes)
    return await _add(tx, scope, world, frame)


async def change(
    tx: Connection, scope: Scope, world: World, reference: str, wishes: Wishes
) -> Layout:
    former = await stored.get(tx, scope, reference)
    if former.is_default and wishes.is_default is False:
        raise RefusedError("Make another layout the default one instead; then this no longer is.")
    return await _save(tx, scope, world, former, _applied(former.frame, wishes))


async def put(tx: Connection, scope: Scope, world: World, frame: Frame) -> Layout:
    """Make the layout of this layoutId be exactly this. The default stays the default until
    another layout is made it."""
    former = await stored.find(tx, scope, frame.key)
    if former is None or former.key != frame.key:
        return await _add(tx, scope, world, frame)
    kept = msgspec.structs.replace(frame, is_default=frame.is_default or former.is_default)
    return await _save(tx, scope, world, former, kept)


async def duplicate(
    tx: Connection, scope: Scope, world: World, reference: str, key: str | None, wishes: Wishes
) -> Layout:
    source = await stored.get(tx, scope, reference)
    frame = msgspec.structs.replace(source.frame, key=key or source.key, is_default=False)
    return await _add(tx, scope, world, _applied(frame, wishes))


async def remove(tx: Connection, scope: Scope, world: World, reference: str) -> None:
    layout = await stored.get(tx, scope, reference)
    users = await used_by(tx, scope, layout)
    if users:
        raise RefusedError(
            f"The layout {layout.key!r} is used by {', '.join(each.key for each in users)}. Choose "
            "another layout there first.",
            workflows=[each.key for each in users],
        )
    if layout.is_default and len(await stored.all_of(tx, scope)) > 1:
        raise RefusedError("This is the default layout. Make another one the default first.")
    await stored.remove(tx, scope, layout.id)


async def used_by(tx: Connection, scope: Scope, layout: Layout) -> list[Workflow]:
    """The workflows with an e-mail step that names this layout."""
    return [
        workflow
        for workflow in await stored_workflows.all_of(tx, scope)
        if any(
            step.type == "email" and step.controls.get("layoutId") == layout.key
            for step in workflow.steps
        )
    ]


async def _add(tx: Connection, scope: Scope, world: World, frame: Frame) -> Layout:
    _check(frame)
    now = world.clock.now()
    first = await stored.default(tx, scope) is None
    layout = Layout(
        **msgspec.structs.asdict(frame),
        id=world.ids.new(),
        scope=scope,
        created_at=now,
        updated_at=now,
    )
    if first or frame.is_default:
        await stored.clear_default(tx, scope)
        layout = msgspec.structs.replace(layout, is_default=True)
    while not await stored.add(tx, layout):
        key = f"{frame.key}-{world.ids.secret(_SUFFIX_BYTES)}"
        layout = msgspec.structs.replace(layout, key=key)
    await workflows.recheck(tx, scope, world, layout.key)
    return layout


async def _save(tx: Connection, scope: Scope, world: World, former: Layout, frame: Frame) -> Layout:
    _check(frame)
    if frame == former.frame:
        return former
    if frame.is_default and not former.is_default:
        await stored.clear_default(tx, scope)
    layout = msgspec.structs.replace(
        former, **msgspec.structs.asdict(frame), updated_at=world.clock.now()
    )
    await stored.save(tx, layout)
    return layout


def _applied(frame: Frame, wishes: Wishes) -> Frame:
    given = msgspec.structs.asdict(wishes)
    return msgspec.structs.replace(
        frame, **{name: value for name, value in given.items() if value is not UNSET}
    )


def _check(frame: Frame) -> None:
    layouts.check(frame)
    if "\0" in frame.body + frame.name:
        raise InvalidError.of("controlValues.email.body", "must not hold the character U+0000")
    faults = emails.check_layout(frame.body, frame.editor)
    if faults:
        raise InvalidError.of("controlValues.email.body", faults[0].message)
