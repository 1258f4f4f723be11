"""Layouts of e-mails."""

from typing import Any, Literal

from tidings.domain import slugs
from tidings.domain.errors import NotFoundError
from tidings.domain.layouts import Layout
from tidings.domain.scope import Scope
from tidings.storage import changes
from tidings.storage.database import Connection, Row

CHANGED = "layouts"

OrderBy = Literal["createdAt", "updatedAt", "name"]
_ORDERS: dict[OrderBy, str] = {
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "name": "lower(name)",
}
_COLUMNS = (
    "id, organization_id, environment_id, key, name, body, editor, is_default, "
    "is_translation_enabled, created_at, updated_at"
)


async def page(
    connection: Connection,
    scope: Scope,
    query: str | None,
    order_by: OrderBy,
    descending: bool,
    limit: int,
    offset: int,
) -> tuple[list[Layout], int]:
    """One page, and how many match in all."""
    direction = "DESC" if descending else "ASC"
    order = f"{_ORDERS[order_by]} {direction}, id {direction}"
    rows = await connection.fetch(
        "WITH matching AS (SELECT * FROM layouts WHERE environment_id = $1 "
        "AND ($2::text IS NULL OR strpos(lower(name), lower($2)) > 0 "
        "OR strpos(lower(key), lower($2)) > 0)), "
        f"shown AS (SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM matching "
        f"ORDER BY {order} LIMIT $3 OFFSET $4) "
        f"SELECT total.count, {_COLUMNS} FROM (SELECT count(*) FROM matching) AS total "
        "LEFT JOIN shown ON true ORDER BY place",
        scope.environment_id,
        query or None,
        limit,
        offset,
    )
    return [_layout(row) for row in rows if row["id"] is not None], rows[0]["count"]


async def all_of(connection: Connection, scope: Scope) -> list[Layout]:
    """Every layout of the environment, oldest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM layouts WHERE environment_id = $1 ORDER BY id",
        scope.environment_id,
    )
    return [_layout(row) for row in rows]


async def find(connection: Connection, scope: Scope, reference: str) -> Layout | None:
    """By layoutId, then `_id`, then slug."""
    id = reference if slugs.is_id(reference) else slugs.lengthen(reference)
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM layouts WHERE environment_id = $1 AND (key = $2 OR id = $3) "
        "ORDER BY key = $2 DESC LIMIT 1",
        scope.environment_id,
        reference,
        id,
    )
    return None if row is None else _layout(row)


async def get(connection: Connection, scope: Scope, reference: str) -> Layout:
    found = await find(connection, scope, reference)
    if found is None:
        raise NotFoundError(
            f"There is no layout {reference!r} in this environment.", layoutId=reference
        )
    return found


async def default(connection: Connection, scope: Scope) -> Layout | None:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM layouts WHERE environment_id = $1 AND is_default",
        scope.environment_id,
    )
    return None if row is None else _layout(row)


async def add(connection: Connection, layout: Layout) -> bool:
    """False when the layoutId is taken."""
    done = await connection.fetchval(
        f"INSERT INTO layouts ({_COLUMNS}) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
        "ON CONFLICT (environment_id, key) DO NOTHING RETURNING true",
        *_values(layout),
    )
    await changes.announce(connection, CHANGED)
    return bool(done)


async def save(connection: Connection, layout: Layout) -> None:
    await connection.execute(
        "UPDATE layouts SET key = $4, name = $5, body = $6, editor = $7, is_default = $8, "
        "is_translation_enabled = $9, created_at = $10, updated_at = $11 "
        "WHERE id = $1 AND organization_id = $2 AND environment_id = $3",
        *_values(layout),
    )
    await changes.announce(connection, CHANGED)


async def clear_default(connection: Connection, scope: Scope) -> None:
    await connection.execute(
        "UPDATE layouts SET is_default = false WHERE environment_id = $1 AND is_default",
        scope.environment_id,
    )


async def remove(connection: Connection, scope: Scope, id: str) -> None:
    await connection.execute(
        "DELETE FROM layouts WHERE environment_id = $1 AND id = $2", scope.environment_id, id
    )
    await changes.announce(connection, CHANGED)


def _values(layout: Layout) -> tuple[Any, ...]:
    return (
        layout.id,
        layout.scope.organization_id,
        layout.scope.environment_id,
        layout.key,
        layout.name,
        layout.body,
        layout.editor,
        layout.is_default,
        layout.is_translation_enabled,
        layout.created_at,
        layout.updated_at,
    )


def _layout(row: Row) -> Layout:
    values = {name: row[name] for name in Layout.__struct_fields__ if name != "scope"}
    return Layout(**values, scope=Scope(row["organization_id"], row["environment_id"]))
