"""Integrations. What is deleted stays in its row and is seen by nobody."""

from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from tidings.domain.channels import Channel
from tidings.domain.conditions import StepFilter
from tidings.domain.errors import ConflictError, NotFoundError
from tidings.domain.integrations import Configurations, Integration
from tidings.domain.scope import Scope
from tidings.storage import changes
from tidings.storage.database import Connection, Row, json_of
from tidings.storage.secrets import Sealer

CHANGED = "integrations"

_COLUMNS = (
    "id, organization_id, environment_id, name, identifier, provider_id, channel, credentials, "
    "configurations, conditions, active, is_primary, created_at, updated_at"
)
_CONDITIONS = msgspec.json.Decoder(tuple[StepFilter, ...])
_CONFIGURATIONS = msgspec.json.Decoder(Configurations)


async def all_of(
    connection: Connection, scope: Scope, sealer: Sealer, active_only: bool = False
) -> list[Integration]:
    """The integrations of the environment, newest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM integrations WHERE environment_id = $1 AND deleted_at IS NULL "
        "AND (active OR NOT $2) ORDER BY id DESC",
        scope.environment_id,
        active_only,
    )
    return [_integration(row, sealer) for row in rows]


async def find(
    connection: Connection, scope: Scope, sealer: Sealer, key: str
) -> Integration | None:
    """By identifier, else by id."""
    if "\0" in key:
        return None
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM integrations WHERE environment_id = $1 AND deleted_at IS NULL "
        "AND (identifier = $2 OR id = $2) ORDER BY (identifier = $2) DESC LIMIT 1",
        scope.environment_id,
        key,
    )
    return None if row is None else _integration(row, sealer)


async def get(connection: Connection, scope: Scope, sealer: Sealer, key: str) -> Integration:
    found = await find(connection, scope, sealer, key)
    if found is None:
        raise NotFoundError(
            f"There is no integration {key} in this environment.", integrationId=key
        )
    return found


async def lock(connection: Connection, scope: Scope) -> None:
    """Hold back other changes to the environment's integrations until the transaction ends, so
    that each sees what the one before left; the unique indexes would refuse the second."""
    await connection.execute(
        "SELECT FROM environments WHERE id = $1 FOR NO KEY UPDATE", scope.environment_id
    )


async def has_primary(connection: Connection, scope: Scope, channel: Channel) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM integrations WHERE environment_id = $1 AND channel = $2 "
        "AND is_primary AND deleted_at IS NULL)",
        scope.environment_id,
        channel,
    )
    return found


async def has_provider(connection: Connection, scope: Scope, provider_id: str) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM integrations WHERE environment_id = $1 AND provider_id = $2 "
        "AND deleted_at IS NULL)",
        scope.environment_id,
        provider_id,
    )
    return found


async def add(connection: Connection, scope: Scope, sealer: Sealer, made: Integration) -> None:
    marks = ", ".join(f"${number}" for number in range(1, 15))
    try:
        await connection.execute(
            f"INSERT INTO integrations ({_COLUMNS}) VALUES ({marks})",
            *_values(scope, sealer, made),
        )
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, made) from None
    await changes.announce(connection, CHANGED)


async def save(connection: Connection, scope: Scope, sealer: Sealer, changed: Integration) -> None:
    values = _values(scope, sealer, changed)
    try:
        await connection.execute(
            "UPDATE integrations SET name = $3, identifier = $4, credentials = $5, "
            "configurations = $6, conditions = $7, active = $8, is_primary = $9, updated_at = $10 "
            "WHERE environment_id = $1 AND id = $2 AND deleted_at IS NULL",
            scope.environment_id,
            changed.id,
            *values[3:5],
            *values[7:12],
            changed.updated_at,
        )
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, changed) from None
    await changes.announce(connection, CHANGED)


async def drop_primary(
    connection: Connection, scope: Scope, channel: Channel, now: datetime
) -> None:
    """Whoever was primary of the channel no longer is."""
    await connection.execute(
        "UPDATE integrations SET is_primary = false, updated_at = $3 "
        "WHERE environment_id = $1 AND channel = $2 AND is_primary AND deleted_at IS NULL",
        scope.environment_id,
        channel,
        now,
    )


async def delete(
    connection: Connection, scope: Scope, id: str, now: datetime, deleted_by: str
) -> None:
    """Softly: the row stays, with its date and author."""
    await connection.execute(
        "UPDATE integrations SET deleted_at = $3, deleted_by = $4, is_primary = false, "
        "active = false WHERE environment_id = $1 AND id = $2 AND deleted_at IS NULL",
        scope.environment_id,
        id,
        now,
        deleted_by,
    )
    await changes.announce(connection, CHANGED)


def _values(scope: Scope, sealer: Sealer, integration: Integration) -> tuple[Any, ...]:
    owner = scope.environment_id
    return (
        integration.id,
        scope.organization_id,
        owner,
        integration.name,
        integration.identifier,
        integration.provider_id,
        integration.channel,
        sealer.seal(msgspec.json.encode(integration.credentials), owner),
        sealer.seal(msgspec.json.encode(integration.configurations), owner),
        json_of(integration.conditions),
        integration.active,
        integration.primary,
        integration.created_at,
        integration.updated_at,
    )


def _integration(row: Row, sealer: Sealer) -> Integration:
    owner = row["environment_id"]
    return Integration(
        id=row["id"],
        organization_id=row["organization_id"],
        environment_id=owner,
        name=row["name"],
        identifier=row["identifier"],
        provider_id=row["provider_id"],
        channel=row["channel"],
        credentials=msgspec.json.decode(sealer.open(row["credentials"], owner)),
        configurations=_CONFIGURATIONS.decode(sealer.open(row["configurations"], owner)),
        conditions=_CONDITIONS.decode(row["conditions"]),
        active=row["active"],
        primary=row["is_primary"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _taken(error: asyncpg.UniqueViolationError, integration: Integration) -> Exception:
    if getattr(error, "constraint_name", None) != "integrations_identifier":
        return error
    return ConflictError(
        f"The identifier {integration.identifier!r} is used by another integration of the "
        "organization. Choose another one, or leave it out to have one made.",
        identifier=integration.identifier,
    )
