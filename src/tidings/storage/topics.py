"""Topics."""

from collections.abc import Mapping
from datetime import datetime

from tidings.domain.errors import NotFoundError
from tidings.domain.paging import Asked, Page
from tidings.domain.scope import Scope
from tidings.domain.topics import Topic
from tidings.storage import paging
from tidings.storage.database import Connection, Row

_COLUMNS = "id, key, name, created_at, updated_at"
_INSERT = (
    "INSERT INTO topics AS t "
    "(organization_id, environment_id, id, key, name, created_at, updated_at) "
    "VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (environment_id, key) "
)

LISTING = paging.Listing(
    columns=_COLUMNS,
    source="topics AS r",
    where="r.environment_id = $1",
)


async def page(
    connection: Connection, scope: Scope, asked: Asked, filters: Mapping[str, str]
) -> Page[Topic]:
    """`filters`: exact values of `key` or `name`."""
    return await paging.page(
        connection, LISTING, asked, [scope.environment_id], list(filters.items()), _topic
    )


async def find(connection: Connection, scope: Scope, key: str) -> Topic | None:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM topics WHERE environment_id = $1 AND key = $2",
        scope.environment_id,
        key,
    )
    return None if row is None else _topic(row)


async def hold(connection: Connection, scope: Scope, key: str) -> Topic | None:
    """As `find`; nobody can remove it before the transaction ends."""
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM topics WHERE environment_id = $1 AND key = $2 FOR KEY SHARE",
        scope.environment_id,
        key,
    )
    return None if row is None else _topic(row)


async def get(connection: Connection, scope: Scope, key: str) -> Topic:
    return _present(await find(connection, scope, key), key)


async def add(
    connection: Connection, scope: Scope, id: str, key: str, name: str | None, now: datetime
) -> Topic | None:
    """The new topic, or None when there is one with this key."""
    row = await connection.fetchrow(
        f"{_INSERT} DO NOTHING RETURNING {_COLUMNS}",
        scope.organization_id,
        scope.environment_id,
        id,
        key,
        name,
        now,
    )
    return None if row is None else _topic(row)


async def put(
    connection: Connection, scope: Scope, id: str, key: str, name: str | None, now: datetime
) -> Topic:
    """The topic as it is after it was made or, when a name is given, renamed."""
    row = await connection.fetchrow(
        f"{_INSERT} DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at "
        "WHERE excluded.name IS NOT NULL AND excluded.name IS DISTINCT FROM t.name "
        f"RETURNING {_COLUMNS}",
        scope.organization_id,
        scope.environment_id,
        id,
        key,
        name,
        now,
    )
    return await get(connection, scope, key) if row is None else _topic(row)


async def rename(connection: Connection, scope: Scope, key: str, name: str, now: datetime) -> Topic:
    row = await connection.fetchrow(
        "UPDATE topics SET name = $3, updated_at = $4 WHERE environment_id = $1 AND key = $2 "
        f"RETURNING {_COLUMNS}",
        scope.environment_id,
        key,
        name,
        now,
    )
    return _present(None if row is None else _topic(row), key)


async def remove(connection: Connection, scope: Scope, key: str) -> None:
    """Gone with its subscriptions."""
    done: bool | None = await connection.fetchval(
        "DELETE FROM topics WHERE environment_id = $1 AND key = $2 RETURNING true",
        scope.environment_id,
        key,
    )
    if not done:
        raise missing(key)


def missing(key: str) -> NotFoundError:
    return NotFoundError(f"There is no topic {key!r}.", topicKey=key)


def _present(topic: Topic | None, key: str) -> Topic:
    if topic is None:
        raise missing(key)
    return topic


def _topic(row: Row) -> Topic:
    return Topic(
        id=row["id"],
        key=row["key"],
        name=row["name"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
