"""Integrations in a declaration: found by environment and identifier."""

from typing import Any

import msgspec

from tidings.actions import integrations as actions
from tidings.actions.declared import Difference, difference, read
from tidings.dialect import Dialect
from tidings.domain.conditions import StepFilter
from tidings.domain.errors import InvalidError
from tidings.domain.integrations import (
    CREDENTIAL_KINDS,
    Configurations,
    Credentials,
    Integration,
)
from tidings.domain.scope import Scope
from tidings.providers.credentials import mask, secret_names
from tidings.storage import environments, integrations
from tidings.storage.database import Connection
from tidings.world import World

KIND = "integrations"
ORDER = 10


class Declared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    environment: str
    identifier: str
    provider: str
    name: str | None = None
    active: bool = True
    primary: bool = False
    credentials: dict[str, Any] = {}
    configurations: Configurations = Configurations()
    conditions: tuple[StepFilter, ...] = ()


async def reconcile(tx: Connection, world: World, entry: Any) -> Difference:
    declared = read(entry, Declared)
    environment = await environments.named(tx, declared.environment)
    scope = Scope(environment.organization_id, environment.id)
    name = f"{environment.name}/{declared.identifier}"
    wanted = _credentials(declared.credentials)
    before = await integrations.find(tx, scope, world.sealer, declared.identifier)
    if before is None:
        await _create(tx, scope, world, declared, wanted)
        return Difference(kind=KIND, name=name, action="create")
    if before.provider_id != Dialect.understand(declared.provider):
        raise InvalidError.of(
            "provider",
            f"is {before.provider_id} and cannot be changed; choose another identifier",
            declared.provider,
        )
    changes = _differences(before, declared, wanted)
    if changes:
        await _update(tx, scope, world, before, declared, wanted)
    return Difference(
        kind=KIND,
        name=name,
        action="update" if changes else "unchanged",
        changes=tuple(changes),
    )


async def _create(
    tx: Connection, scope: Scope, world: World, declared: Declared, credentials: dict[str, Any]
) -> None:
    new = actions.NewIntegration(
        provider_id=Dialect.understand(declared.provider),
        name=declared.name,
        identifier=declared.identifier,
        credentials=credentials,
        configurations=declared.configurations,
        conditions=declared.conditions,
        active=declared.active,
    )
    made = await actions.create(tx, scope, world, new)
    if declared.primary:
        await actions.set_primary(tx, scope, world, made.id)


async def _update(
    tx: Connection,
    scope: Scope,
    world: World,
    before: Integration,
    declared: Declared,
    credentials: dict[str, Any],
) -> None:
    change = actions.Change(
        name=msgspec.UNSET if declared.name is None else declared.name,
        credentials=credentials,
        configurations=declared.configurations,
        conditions=declared.conditions,
        active=declared.active,
    )
    await actions.update(tx, scope, world, before.id, change)
    if declared.primary:
        await actions.set_primary(tx, scope, world, before.id)


def _differences(before: Integration, declared: Declared, credentials: dict[str, Any]) -> list[str]:
    provider = actions.provider_of(before.provider_id)
    secrets = secret_names(provider.credentials)
    lines = [] if declared.name is None else difference("name", before.name, declared.name)
    lines += difference("active", before.active, declared.active)
    if declared.primary:
        lines += difference("primary", before.primary, True)
    for name in sorted(before.credentials.keys() | credentials.keys()):
        old, new = before.credentials.get(name), credentials.get(name)
        if name in secrets and old != new:
            lines.append(f"credentials.{name}: {mask(old or '')} -> {mask(new or '')}")
        else:
            lines += difference(f"credentials.{name}", old, new)
    if before.configurations != declared.configurations:
        lines.append("configurations: changed")
    if before.conditions != declared.conditions:
        lines.append("conditions: changed")
    return lines


def _credentials(given: dict[str, Any]) -> dict[str, Any]:
    """As the interface has them; a number, such as a port, may be written as one."""
    for name in given:
        if name not in CREDENTIAL_KINDS:
            raise InvalidError.of(f"credentials.{name}", "is not a credential")
    texts = {
        name: str(value)
        if CREDENTIAL_KINDS[name] == "string" and type(value) in (int, float)
        else value
        for name, value in given.items()
    }
    try:
        known = msgspec.convert(texts, Credentials)
    except msgspec.ValidationError as error:
        raise InvalidError.of("credentials", str(error)) from None
    credentials: dict[str, Any] = msgspec.to_builtins(known)
    return credentials
