"""Making, changing and removing environments."""

import re

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tidings.actions import integrations, keys
from tidings.domain.environments import Environment, Kind
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.scope import Scope
from tidings.storage import environments
from tidings.storage.database import Connection
from tidings.world import World

_COLOR = re.compile(r"#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is set is changed."""

    name: str | UnsetType = UNSET
    identifier: str | UnsetType = UNSET
    color: str | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET


async def create(
    tx: Connection,
    scope: Scope,
    world: World,
    name: str,
    color: str | None = None,
    parent_id: str | None = None,
) -> tuple[Environment, str]:
    """A new environment beside the caller's, with its in-app integration and the only copy of its
    first key's text."""
    if parent_id is not None:
        await environments.get(tx, scope, parent_id)
    made = await add(tx, world, scope.organization_id, _named(name), None, parent_id, color)
    _, secret = await keys.create(tx, Scope(scope.organization_id, made.id), world, "First key")
    return made, secret


async def add(
    tx: Connection,
    world: World,
    organization_id: str,
    name: str,
    kind: Kind | None,
    parent_id: str | None,
    color: str | None = None,
) -> Environment:
    """The environment with its inbox secret and its in-app integration."""
    now = world.clock.now()
    environment = Environment(
        id=world.ids.new(),
        organization_id=organization_id,
        name=name,
        identifier=world.ids.secret(8),
        kind=kind,
        parent_id=parent_id,
        color=None if color is None else _colored(color),
        created_at=now,
        updated_at=now,
    )
    secret = world.sealer.seal(world.ids.secret().encode(), environment.id)
    await environments.add(tx, environment, secret)
    await integrations.add_in_app(tx, Scope(organization_id, environment.id), world)
    return environment


async def update(
    tx: Connection, scope: Scope, world: World, id: str, change: Change
) -> Environment:
    before = await environments.get(tx, scope, id)
    after = before
    if change.name is not UNSET and _named(change.name) != before.name:
        _refuse_for_first(before, "renamed")
        after = replace(after, name=_named(change.name))
    if change.identifier is not UNSET:
        after = replace(after, identifier=_identified(change.identifier))
    if change.color is not UNSET:
        after = replace(after, color=_colored(change.color))
    if change.parent_id is not UNSET:
        if change.parent_id == id:
            raise InvalidError.of("parentId", "must be another environment", id)
        await environments.get(tx, scope, change.parent_id)
        after = replace(after, parent_id=change.parent_id)
    after = replace(after, updated_at=world.clock.now())
    await environments.save(tx, scope, after)
    return after


async def delete(tx: Connection, scope: Scope, world: World, id: str) -> None:
    """With everything in it."""
    found = await environments.get(tx, scope, id)
    _refuse_for_first(found, "deleted")
    if found.id == scope.environment_id:
        raise RefusedError(
            "A key cannot delete the environment it belongs to; use a key of another environment.",
            environmentId=id,
        )
    await environments.delete(tx, scope, id)


def _refuse_for_first(environment: Environment, what: str) -> None:
    if environment.kind is not None:
        raise RefusedError(
            f"{environment.name} is one of the two environments that always exist and cannot be "
            f"{what}.",
            environmentId=environment.id,
        )


def _named(name: str) -> str:
    if not 0 < len(name.strip()) <= 64 or not name.isprintable():
        raise InvalidError.of("name", "must have 1 to 64 printable characters", name)
    return name.strip()


def _colored(color: str) -> str:
    if not _COLOR.fullmatch(color):
        raise InvalidError.of("color", "must be a colour such as #1a73e8", color)
    return color


def _identified(identifier: str) -> str:
    if not _IDENTIFIER.fullmatch(identifier):
        raise InvalidError.of(
            "identifier", "must have 1 to 64 letters, digits, hyphens or underscores", identifier
        )
    return identifier
