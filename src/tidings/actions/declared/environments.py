"""Environments in a declaration: found by name, made when missing."""

from typing import Any

import msgspec
from msgspec import UNSET

from tidings.actions import environments as actions
from tidings.actions.declared import Difference, difference, read
from tidings.domain.scope import Scope
from tidings.storage import environments
from tidings.storage.database import Connection
from tidings.world import World

KIND = "environments"
ORDER = 0


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    color: str | None = None
    identifier: str | None = None


async def reconcile(tx: Connection, world: World, entry: Any) -> Difference:
    """A new environment gets no key: make one with `tidings keys create`."""
    declared = read(entry, Declared)
    organization_id = await environments.organization_id(tx)
    everyone = await environments.all_of(tx, Scope(organization_id, ""))
    found = next((e for e in everyone if e.name.lower() == declared.name.lower()), None)
    if found is None:
        made = await actions.add(
            tx, world, organization_id, declared.name, None, None, declared.color
        )
        if declared.identifier is not None:
            await _change(tx, world, organization_id, made.id, declared)
        return Difference(kind=KIND, name=declared.name, action="create")
    changes = [
        line
        for name in ("color", "identifier")
        if (wanted := getattr(declared, name)) is not None
        for line in difference(name, getattr(found, name), wanted)
    ]
    if changes:
        await _change(tx, world, organization_id, found.id, declared)
    return Difference(
        kind=KIND,
        name=found.name,
        action="update" if changes else "unchanged",
        changes=tuple(changes),
    )


async def _change(
    tx: Connection, world: World, organization_id: str, id: str, declared: Declared
) -> None:
    change = actions.Change(
        color=UNSET if declared.color is None else declared.color,
        identifier=UNSET if declared.identifier is None else declared.identifier,
    )
    await actions.update(tx, Scope(organization_id, id), world, id, change)
