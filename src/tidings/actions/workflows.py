"""Saving, copying, restoring and removing workflows. Every save leaves a version."""

import asyncio
import re
from typing import Any

import msgspec

from tidings.actions import checking
from tidings.domain import differences, drafts, workflows
from tidings.domain.drafts import Draft
from tidings.domain.errors import InvalidError
from tidings.domain.scope import Scope
from tidings.domain.workflows import Author, Definition, Step, Version, Workflow
from tidings.steps import payloads
from tidings.storage import keys, layouts, workflow_versions
from tidings.storage import workflows as stored
from tidings.storage.database import Connection
from tidings.world import World

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_SUFFIX_BYTES = 2
_LARGEST_SCHEMA = 64 * 1024
"""Every step's variables repeat it."""


async def create(
    tx: Connection, scope: Scope, world: World, key: str, draft: Draft, author: Author | None
) -> Workflow:
    """A new workflow; a short suffix is added to a workflowId that is taken."""
    definition = drafts.applied(Definition(key=key, name=key), draft)
    return await _add(tx, scope, world, definition, author)


async def change(
    tx: Connection, scope: Scope, world: World, reference: str, draft: Draft, author: Author | None
) -> Workflow:
    """The workflow with the draft's wishes; what the draft leaves out stays."""
    former = await stored.lock(tx, scope, reference)
    return await _save(tx, scope, world, former, drafts.applied(former.definition, draft), author)


async def put(
    tx: Connection, scope: Scope, world: World, definition: Definition, author: Author | None
) -> Workflow:
    """Make the workflow of this workflowId be exactly this; ids of matching steps are kept."""
    former = await stored.by_key(tx, scope, definition.key)
    if former is None:
        made = await _new(tx, scope, world, definition)
        if await stored.add(tx, made):
            await _keep(tx, made, author, ["created"])
            return made
        former = await stored.lock(tx, scope, definition.key)
    return await _save(tx, scope, world, former, definition, author)


async def duplicate(
    tx: Connection, scope: Scope, world: World, reference: str, draft: Draft, author: Author | None
) -> Workflow:
    """A copy under a new name; inactive until somebody wants it."""
    source = await stored.get(tx, scope, reference)
    name = f"{source.name} (copy)"
    wishes = msgspec.structs.replace(draft, name=draft.name or name, active=False)
    definition = drafts.applied(source.definition, wishes)
    return await _add(tx, scope, world, definition, author)


async def restore(
    tx: Connection, scope: Scope, world: World, reference: str, number: int, author: Author | None
) -> Workflow:
    """Save an old version as the newest one."""
    former = await stored.lock(tx, scope, reference)
    version = await workflow_versions.get(tx, scope, former.id, number)
    assert version.definition is not None
    definition = msgspec.structs.replace(version.definition, key=former.key)
    return await _save(tx, scope, world, former, definition, author)


async def remove(tx: Connection, scope: Scope, world: World, reference: str) -> None:
    workflow = await stored.lock(tx, scope, reference)
    await stored.remove(tx, scope, workflow.id)


async def recheck(tx: Connection, scope: Scope, world: World, layout: str) -> None:
    """Look again at the workflows that name a layout which has come to be."""
    for workflow in await stored.all_of(tx, scope):
        if any(step.controls.get("layoutId") == layout for step in workflow.steps):
            locked = await stored.lock(tx, scope, workflow.id)
            await stored.save(tx, await _checked(tx, scope, world, locked))


async def author_of(tx: Connection, scope: Scope, key_id: str) -> Author | None:
    """The API key that acts, by name."""
    for key in await keys.all_of(tx, scope):
        if key.id == key_id:
            return Author(key.id, key.name)
    return None


async def _add(
    tx: Connection, scope: Scope, world: World, definition: Definition, author: Author | None
) -> Workflow:
    workflow = await _new(tx, scope, world, definition)
    while not await stored.add(tx, workflow):
        key = f"{definition.key}-{world.ids.secret(_SUFFIX_BYTES)}"
        workflow = msgspec.structs.replace(workflow, key=key)
    await _keep(tx, workflow, author, ["created"])
    return workflow


async def _new(tx: Connection, scope: Scope, world: World, definition: Definition) -> Workflow:
    now = world.clock.now()
    workflow = Workflow(
        **_fields(_identified(world, definition, [])),
        id=world.ids.new(),
        scope=scope,
        origin="svc-cloud",
        status="INACTIVE",
        version=1,
        created_at=now,
        updated_at=now,
    )
    return await _checked(tx, scope, world, workflow)


async def _save(
    tx: Connection,
    scope: Scope,
    world: World,
    former: Workflow,
    definition: Definition,
    author: Author | None,
) -> Workflow:
    definition = _identified(world, definition, former.steps)
    workflow = msgspec.structs.replace(former, **_fields(definition))
    workflow = await _checked(tx, scope, world, workflow)
    changes = differences.between(former.definition, workflow.definition)
    if changes:
        workflow = msgspec.structs.replace(
            workflow, version=former.version + 1, updated_at=world.clock.now()
        )
        await _keep(tx, workflow, author, [str(change) for change in changes])
    if workflow != former:
        await stored.save(tx, workflow)
    return workflow


async def _keep(
    tx: Connection, workflow: Workflow, author: Author | None, changes: list[str]
) -> None:
    version = Version(
        workflow_id=workflow.id,
        version=workflow.version,
        saved_at=workflow.updated_at,
        saved_by=author,
        changes=changes,
        definition=workflow.definition,
    )
    await workflow_versions.add(tx, workflow.scope, version)


async def _checked(tx: Connection, scope: Scope, world: World, workflow: Workflow) -> Workflow:
    """With its issues, and the status that follows from them. Refuses what cannot be stored."""
    workflows.check(workflow)
    _check_storable(workflow.definition)
    if workflow.payload_schema is not None:
        _check_schema(workflow.payload_schema)
    known = await layouts.all_of(tx, scope)
    names = {name: each.key for each in known for name in (each.id, each.slug, each.key)}
    named = [_with_layout_key(step, names) for step in workflow.steps]
    definition = msgspec.structs.replace(workflow.definition, steps=named)
    steps = await asyncio.to_thread(
        checking.checked, definition, world.limits, {each.key for each in known}
    )
    status = workflows.status(workflow.active, steps)
    return msgspec.structs.replace(workflow, steps=steps, status=status)


def _with_layout_key(step: Step, names: dict[str, str]) -> Step:
    wanted = step.controls.get("layoutId")
    if step.type != "email" or not isinstance(wanted, str) or wanted not in names:
        return step
    return msgspec.structs.replace(step, controls={**step.controls, "layoutId": names[wanted]})


def _identified(world: World, definition: Definition, former: list[Step]) -> Definition:
    """With an id and a stepId for every step; those it had before are kept."""
    matched = drafts.match(former, definition.steps)
    taken = {step.key for step in [*former, *definition.steps] if step.key}
    steps = []
    for step, old in zip(definition.steps, matched, strict=True):
        key = step.key
        if not key:
            suffix = world.ids.secret(_SUFFIX_BYTES)
            key = drafts.step_key(step.name, step.type, taken, suffix)
            taken.add(key)
        id = old.id if old is not None else world.ids.new()
        steps.append(msgspec.structs.replace(step, id=id, key=key))
    return msgspec.structs.replace(definition, steps=steps)


def _fields(definition: Definition) -> dict[str, Any]:
    return {name: getattr(definition, name) for name in Definition.__struct_fields__}


def _check_storable(definition: Definition) -> None:
    if _NUL.search(msgspec.json.encode(definition)):
        raise InvalidError.of("body", "must not hold the character U+0000")


def _check_schema(schema: dict[str, Any]) -> None:
    if len(msgspec.json.encode(schema)) > _LARGEST_SCHEMA:
        raise InvalidError.of("payloadSchema", f"must have at most {_LARGEST_SCHEMA} bytes as JSON")
    try:
        payloads.check_schema(schema)
    except payloads.BadSchemaError as error:
        raise InvalidError.of(
            "payloadSchema", f"is not a usable JSON Schema: {error}", schema
        ) from None
