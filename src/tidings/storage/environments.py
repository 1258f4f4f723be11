"""Organizations and their environments."""

from datetime import datetime

import asyncpg

from tidings.domain.environments import Environment
from tidings.domain.errors import ConflictError, NotFoundError
from tidings.domain.scope import Scope
from tidings.storage import changes, integrations, keys, signing_keys
from tidings.storage.database import Connection, Row
from tidings.storage.secrets import Sealer

_COLUMNS = "id, organization_id, name, identifier, kind, parent_id, color, created_at, updated_at"


async def all_of(connection: Connection, scope: Scope) -> list[Environment]:
    """The environments of the caller's organization, oldest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM environments WHERE organization_id = $1 ORDER BY id",
        scope.organization_id,
    )
    return [_environment(row) for row in rows]


async def find(connection: Connection, scope: Scope, id: str) -> Environment | None:
    """One environment of the caller's organization."""
    if "\0" in id:
        return None
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM environments WHERE organization_id = $1 AND id = $2",
        scope.organization_id,
        id,
    )
    return None if row is None else _environment(row)


async def get(connection: Connection, scope: Scope, id: str) -> Environment:
    found = await find(connection, scope, id)
    if found is None:
        raise NotFoundError(f"There is no environment {id}.", environmentId=id)
    return found


async def scope_of(connection: Connection, id: str) -> Scope:
    """For callers that have no key of the environment and prove themselves otherwise."""
    row = await connection.fetchrow(
        "SELECT id, organization_id FROM environments WHERE id = $1", id.replace("\0", "")
    )
    if row is None:
        raise NotFoundError(f"There is no environment {id}.", environmentId=id)
    return Scope(row["organization_id"], row["id"])


async def find_by_identifier(connection: Connection, identifier: str) -> Environment | None:
    """By its public name, for an inbox that opens a session."""
    if "\0" in identifier:
        return None
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM environments WHERE identifier = $1", identifier
    )
    return None if row is None else _environment(row)


async def inbox_secrets(
    connection: Connection, scope: Scope, sealer: Sealer, now: datetime
) -> list[str]:
    """The present one, and the one before while it still serves."""
    row = await connection.fetchrow(
        "SELECT inbox_secret, CASE WHEN former_inbox_secret_until > $2 "
        "THEN former_inbox_secret END AS former FROM environments WHERE id = $1",
        scope.environment_id,
        now,
    )
    sealed = () if row is None else (row["inbox_secret"], row["former"])
    return [
        sealer.open(value, scope.environment_id).decode() for value in sealed if value is not None
    ]


async def set_inbox_secret(
    connection: Connection, scope: Scope, secret: bytes, former_until: datetime
) -> None:
    """The present secret becomes the former one, good until then."""
    await connection.execute(
        "UPDATE environments SET inbox_secret = $2, former_inbox_secret = inbox_secret, "
        "former_inbox_secret_until = $3 WHERE id = $1",
        scope.environment_id,
        secret,
        former_until,
    )


async def named(connection: Connection, name: str) -> Environment:
    """The environment of that name in the one organization there is, for the command line."""
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM environments WHERE lower(name) = lower($1)",
        name,
    )
    if row is None:
        known = await connection.fetch("SELECT name FROM environments ORDER BY id")
        raise NotFoundError(
            f"There is no environment {name!r}; there are "
            + (", ".join(row["name"] for row in known) or "none yet: run `tidings migrate`")
            + "."
        )
    return _environment(row)


async def organization_id(connection: Connection) -> str:
    """Of the one organization there is, for the command line."""
    found: str = await connection.fetchval("SELECT id FROM organizations ORDER BY id LIMIT 1")
    return found


async def any_exists(connection: Connection) -> bool:
    found: bool = await connection.fetchval("SELECT EXISTS (SELECT FROM environments)")
    return found


async def add_organization(connection: Connection, id: str, name: str, now: datetime) -> None:
    await connection.execute(
        "INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)", id, name, now
    )


async def add(connection: Connection, environment: Environment, inbox_secret: bytes) -> None:
    try:
        await connection.execute(
            f"INSERT INTO environments ({_COLUMNS}, inbox_secret) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            environment.id,
            environment.organization_id,
            environment.name,
            environment.identifier,
            environment.kind,
            environment.parent_id,
            environment.color,
            environment.created_at,
            environment.updated_at,
            inbox_secret,
        )
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, environment) from None


async def save(connection: Connection, scope: Scope, environment: Environment) -> None:
    try:
        await connection.execute(
            "UPDATE environments SET name = $3, identifier = $4, parent_id = $5, color = $6, "
            "updated_at = $7 WHERE organization_id = $1 AND id = $2",
            scope.organization_id,
            environment.id,
            environment.name,
            environment.identifier,
            environment.parent_id,
            environment.color,
            environment.updated_at,
        )
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, environment) from None


async def delete(connection: Connection, scope: Scope, id: str) -> None:
    """With everything that belongs to it; its keys stop working in every process."""
    await connection.execute(
        "DELETE FROM environments WHERE organization_id = $1 AND id = $2",
        scope.organization_id,
        id,
    )
    await changes.announce(connection, keys.CHANGED)
    await changes.announce(connection, integrations.CHANGED)
    await changes.announce(connection, signing_keys.CHANGED)


def _taken(error: asyncpg.UniqueViolationError, environment: Environment) -> ConflictError:
    if getattr(error, "constraint_name", None) == "environments_name":
        return ConflictError(
            f"There is an environment named {environment.name!r} already.", name=environment.name
        )
    return ConflictError(
        f"The identifier {environment.identifier!r} is used by another environment.",
        identifier=environment.identifier,
    )


def _environment(row: Row) -> Environment:
    return Environment(**row)


async def lock_bootstrap(connection: Connection) -> None:
    """Hold back other processes that would make the first organization, until the transaction
    ends."""
    await connection.execute("LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE")
