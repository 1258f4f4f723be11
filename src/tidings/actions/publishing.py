"""Bringing workflows, and the layouts they use, from one environment to another."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from tidings.actions import layouts, workflows
from tidings.domain import differences
from tidings.domain.differences import Change
from tidings.domain.errors import InvalidError, NotFoundError, RefusedError, TidingsError
from tidings.domain.layouts import Layout
from tidings.domain.scope import Scope
from tidings.domain.slugs import is_id
from tidings.domain.workflows import Author, Workflow
from tidings.storage import environments
from tidings.storage import layouts as stored_layouts
from tidings.storage import workflows as stored
from tidings.storage.database import Connection
from tidings.world import World

_SYNCED = "svc-cloud"

Kind = Literal["workflow", "layout"]
Action = Literal["created", "updated", "skipped"]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One thing as it is here and there, and what would change there."""

    kind: Kind
    source: Workflow | Layout | None
    target: Workflow | Layout | None
    changes: list[Change]

    @property
    def key(self) -> str:
        return self._either.key

    @property
    def name(self) -> str:
        return self._either.name

    @property
    def _either(self) -> Workflow | Layout:
        either = self.source or self.target
        assert either is not None
        return either

    @property
    def action(self) -> Literal["added", "modified", "deleted", "unchanged"]:
        if self.target is None:
            return "added"
        if self.source is None:
            return "deleted"
        return "modified" if self.changes else "unchanged"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    key: str
    name: str
    action: Action
    reason: str = ""
    """Why it was skipped."""
    error: str = ""
    """Why it failed."""


async def target_scope(tx: Connection, scope: Scope, environment_id: str) -> Scope:
    """The other environment of the same organization."""
    if not is_id(environment_id):
        raise InvalidError.of(
            "targetEnvironmentId", "must be the _id of an environment", environment_id
        )
    return await known_target(tx, scope, environment_id)


async def known_target(tx: Connection, scope: Scope, environment_id: str) -> Scope:
    if environment_id == scope.environment_id:
        raise RefusedError(
            "The target environment is the one the workflow is in. Name another one.",
            targetEnvironmentId=environment_id,
        )
    if all(each.id != environment_id for each in await environments.all_of(tx, scope)):
        raise NotFoundError(
            f"There is no environment {environment_id!r}.", environmentId=environment_id
        )
    return Scope(scope.organization_id, environment_id)


async def sync(
    tx: Connection,
    scope: Scope,
    world: World,
    reference: str,
    target: Scope,
    author: Author | None,
) -> Workflow:
    """The workflow as it is in the target afterwards. What is matched there keeps its ids."""
    source = await stored.get(tx, scope, reference)
    if source.origin != _SYNCED:
        raise RefusedError(
            f"Only workflows of origin {_SYNCED} can be synchronized; {source.key!r} is kept in "
            "sync by the code that defines it.",
            workflowId=source.key,
            status=source.status,
            origin=source.origin,
            allowedOrigins=[_SYNCED],
        )
    for layout in await layouts_of(tx, scope, source):
        await _sync_layout(tx, world, layout, target)
    synced = await workflows.put(tx, target, world, source.definition, author)
    await stored.note_published(tx, scope, source.id, world.clock.now())
    return synced


async def layouts_of(tx: Connection, scope: Scope, workflow: Workflow) -> list[Layout]:
    """The layouts that its e-mail steps use, the default one included."""
    found = []
    for layout in await stored_layouts.all_of(tx, scope):
        for step in workflow.steps:
            wanted = step.controls.get("layoutId", "")
            if step.type == "email" and (
                wanted == layout.key or (wanted == "" and layout.is_default)
            ):
                found.append(layout)
                break
    return found


async def _sync_layout(tx: Connection, world: World, layout: Layout, target: Scope) -> None:
    default = await stored_layouts.default(tx, target)
    keeps_default = default is not None and default.key != layout.key
    frame = layout.frame
    if keeps_default:
        frame = msgspec.structs.replace(frame, is_default=False)
    await layouts.put(tx, target, world, frame)


async def compare(tx: Connection, scope: Scope, target: Scope) -> list[Pair]:
    """Everything that is here or there, layouts first."""
    return [
        *_pairs(
            "layout",
            await stored_layouts.all_of(tx, scope),
            await stored_layouts.all_of(tx, target),
        ),
        *_pairs("workflow", await stored.all_of(tx, scope), await stored.all_of(tx, target)),
    ]


def _pairs(
    kind: Kind, here: Sequence[Workflow | Layout], there: Sequence[Workflow | Layout]
) -> list[Pair]:
    counterparts = {each.key: each for each in there}
    pairs = []
    for each in here:
        other = counterparts.pop(each.key, None)
        changes = [] if other is None else _changes(other, each)
        pairs.append(Pair(kind=kind, source=each, target=other, changes=changes))
    rest = counterparts.values()
    return [*pairs, *(Pair(kind=kind, source=None, target=each, changes=[]) for each in rest)]


def _changes(before: Workflow | Layout, after: Workflow | Layout) -> list[Change]:
    if isinstance(before, Workflow) and isinstance(after, Workflow):
        return differences.between(before.definition, after.definition)
    assert isinstance(before, Layout)
    assert isinstance(after, Layout)
    old, new = (msgspec.to_builtins(each.frame) for each in (before, after))
    return [c for c in differences.of_values(old, new) if c.path != "is_default"]


async def publish(
    tx: Connection,
    scope: Scope,
    world: World,
    target: Scope,
    wanted: Sequence[str] | None,
    dry_run: bool,
    author: Author | None,
) -> list[Result]:
    """Bring everything that differs, or only what is wanted; what fails leaves no trace and stops
    nothing else."""
    pairs = await compare(tx, scope, target)
    if wanted is not None:
        pairs = [_wanted(pairs, reference) for reference in dict.fromkeys(wanted)]
    results = []
    for pair in pairs:
        results.append(await _publish(tx, scope, world, target, pair, dry_run, author))
    return results


def _wanted(pairs: Sequence[Pair], reference: str) -> Pair:
    for kind in ("workflow", "layout"):
        for pair in pairs:
            either = pair.source
            if pair.kind == kind and either and reference in (either.key, either.id, either.slug):
                return pair
    raise NotFoundError(
        f"There is no workflow or layout {reference!r} to publish.", resourceId=reference
    )


async def _publish(
    tx: Connection,
    scope: Scope,
    world: World,
    target: Scope,
    pair: Pair,
    dry_run: bool,
    author: Author | None,
) -> Result:
    result = Result(
        kind=pair.kind,
        key=pair.key,
        name=pair.name,
        action="created" if pair.target is None else "updated",
    )
    if reason := _reason_to_skip(pair):
        return msgspec.structs.replace(result, action="skipped", reason=reason)
    if dry_run:
        return result
    try:
        async with tx.transaction():
            if isinstance(pair.source, Layout):
                await _sync_layout(tx, world, pair.source, target)
            else:
                await sync(tx, scope, world, pair.key, target, author)
    except TidingsError as error:
        return msgspec.structs.replace(result, error=error.message)
    return result


def _reason_to_skip(pair: Pair) -> str:
    if pair.source is None:
        return "It is only in the target environment. Delete it there if it is not wanted."
    if pair.action == "unchanged":
        return "There is nothing to change."
    if isinstance(pair.source, Workflow) and pair.source.origin != _SYNCED:
        return "It is kept in sync by the code that defines it."
    return ""
