"""API keys, known by their digest only."""

from collections.abc import Mapping
from datetime import datetime

from tidings.domain.keys import ApiKey
from tidings.domain.scope import Scope
from tidings.storage import changes
from tidings.storage.database import Connection, Row

CHANGED = "keys"

_COLUMNS = "id, organization_id, environment_id, name, hint, created_at, last_used_at, revoked_at"


async def find_live(connection: Connection, digest: bytes) -> ApiKey | None:
    """Whose key this is, unless it was revoked: the one question asked before there is a scope."""
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM api_keys WHERE digest = $1 AND revoked_at IS NULL",
        digest,
    )
    return None if row is None else _key(row)


async def all_of(connection: Connection, scope: Scope) -> list[ApiKey]:
    """Every key the environment ever had, oldest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM api_keys WHERE environment_id = $1 ORDER BY id",
        scope.environment_id,
    )
    return [_key(row) for row in rows]


async def live(connection: Connection, scope: Scope) -> list[ApiKey]:
    """The keys that work, oldest first."""
    return [key for key in await all_of(connection, scope) if key.revoked_at is None]


async def lock(connection: Connection, scope: Scope) -> None:
    """Hold back other changes to the environment's keys until the transaction ends."""
    await connection.execute(
        "SELECT FROM api_keys WHERE environment_id = $1 ORDER BY id FOR UPDATE",
        scope.environment_id,
    )


async def add(connection: Connection, key: ApiKey, digest: bytes) -> None:
    await connection.execute(
        "INSERT INTO api_keys (id, organization_id, environment_id, name, digest, hint, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        key.id,
        key.scope.organization_id,
        key.scope.environment_id,
        key.name,
        digest,
        key.hint,
        key.created_at,
    )


async def revoke(connection: Connection, scope: Scope, id: str, now: datetime) -> bool:
    """Mark the key revoked and tell every process; False when there is no such live key."""
    if "\0" in id:
        return False
    done = await connection.fetchval(
        "UPDATE api_keys SET revoked_at = $3 "
        "WHERE environment_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING true",
        scope.environment_id,
        id,
        now,
    )
    await changes.announce(connection, CHANGED)
    return bool(done)


async def note_use(connection: Connection, used: Mapping[str, datetime]) -> None:
    await connection.execute(
        "UPDATE api_keys SET last_used_at = greatest(last_used_at, seen.used_at) "
        "FROM unnest($1::text[], $2::timestamptz[]) AS seen (id, used_at) "
        "WHERE api_keys.id = seen.id",
        list(used),
        list(used.values()),
    )


def _key(row: Row) -> ApiKey:
    return ApiKey(
        id=row["id"],
        scope=Scope(row["organization_id"], row["environment_id"]),
        name=row["name"],
        hint=row["hint"],
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )
