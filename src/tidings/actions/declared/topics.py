"""Topics in a declaration: found by environment and key, made when missing."""

from typing import Any

import msgspec

from tidings.actions import topics as actions
from tidings.actions.declared import Difference, difference, read
from tidings.domain.errors import InvalidError
from tidings.domain.scope import Scope
from tidings.domain.topics import key_problem
from tidings.storage import environments, topics
from tidings.storage.database import Connection
from tidings.world import World

KIND = "topics"
ORDER = 20


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    environment: str
    key: str
    name: str | None = None


async def reconcile(tx: Connection, world: World, entry: Any) -> Difference:
    declared = read(entry, Declared)
    if problem := key_problem(declared.key):
        raise InvalidError.of("key", problem, declared.key)
    environment = await environments.named(tx, declared.environment)
    scope = Scope(environment.organization_id, environment.id)
    name = f"{environment.name}/{declared.key}"
    found = await topics.find(tx, scope, declared.key)
    if found is None:
        await actions.create(tx, scope, world, declared.key, declared.name)
        return Difference(kind=KIND, name=name, action="create")
    changes = []
    if declared.name is not None:
        changes = difference("name", found.name, declared.name)
    if changes and declared.name is not None:
        await actions.rename(tx, scope, world, declared.key, declared.name)
    return Difference(
        kind=KIND, name=name, action="update" if changes else "unchanged", changes=tuple(changes)
    )
