"""The keys that sign the tokens of subscribers: one current per environment, and former ones while
their tokens last."""

from datetime import datetime

from tidings.domain.scope import Scope
from tidings.domain.sessions import SigningKey
from tidings.storage import changes
from tidings.storage.database import Connection, Row
from tidings.storage.secrets import Sealer

CHANGED = "inbox_signing_keys"

_COLUMNS = (
    "k.id, e.organization_id, k.environment_id, k.secret, k.created_at, k.ends_at "
    "FROM inbox_signing_keys AS k JOIN environments AS e ON e.id = k.environment_id"
)


async def find(connection: Connection, sealer: Sealer, id: str) -> SigningKey | None:
    """By the id that a token names, before there is a scope."""
    if "\0" in id:
        return None
    row = await connection.fetchrow(f"SELECT {_COLUMNS} WHERE k.id = $1", id)
    return None if row is None else _key(row, sealer)


async def current(connection: Connection, scope: Scope, sealer: Sealer) -> SigningKey | None:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} WHERE k.environment_id = $1 AND k.ends_at IS NULL",
        scope.environment_id,
    )
    return None if row is None else _key(row, sealer)


async def lock(connection: Connection, scope: Scope) -> None:
    """Hold back others that would change the environment's signing keys until the end."""
    await connection.execute(
        "SELECT FROM environments WHERE id = $1 FOR NO KEY UPDATE", scope.environment_id
    )


async def replace(
    connection: Connection, sealer: Sealer, key: SigningKey, former_ends_at: datetime
) -> None:
    """Make this key the current one; the one before verifies until then, and those whose tokens
    have all run out are forgotten."""
    await connection.execute(
        "DELETE FROM inbox_signing_keys WHERE environment_id = $1 AND ends_at <= $2",
        key.scope.environment_id,
        key.created_at,
    )
    await connection.execute(
        "UPDATE inbox_signing_keys SET ends_at = $2 WHERE environment_id = $1 AND ends_at IS NULL",
        key.scope.environment_id,
        former_ends_at,
    )
    await connection.execute(
        "INSERT INTO inbox_signing_keys (id, environment_id, secret, created_at) "
        "VALUES ($1, $2, $3, $4)",
        key.id,
        key.scope.environment_id,
        sealer.seal(key.secret, key.scope.environment_id),
        key.created_at,
    )
    await changes.announce(connection, CHANGED)


async def forget_all(connection: Connection, scope: Scope) -> None:
    """Every token of the environment becomes worthless."""
    await connection.execute(
        "DELETE FROM inbox_signing_keys WHERE environment_id = $1", scope.environment_id
    )
    await changes.announce(connection, CHANGED)


def _key(row: Row, sealer: Sealer) -> SigningKey:
    return SigningKey(
        id=row["id"],
        scope=Scope(row["organization_id"], row["environment_id"]),
        secret=sealer.open(row["secret"], row["environment_id"]),
        created_at=row["created_at"],
        ends_at=row["ends_at"],
    )
