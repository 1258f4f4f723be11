"""The audit log."""

import msgspec

from tidings.domain.audit import Entry, Filter
from tidings.domain.paging import Asked, Page
from tidings.storage import paging
from tidings.storage.database import Connection, Row, json_of
from tidings.storage.paging import Listing

_COLUMNS = (
    "id, organization_id, environment_id, environment_name, user_id, user_name, action, target_id, "
    "target_name, details, address, created_at"
)
_LISTING = Listing(
    columns=", ".join(f"r.{name}" for name in _COLUMNS.split(", ")),
    source="audit_entries AS r",
    where="r.organization_id = $1",
)


async def add(connection: Connection, entry: Entry) -> None:
    await connection.execute(
        f"INSERT INTO audit_entries ({_COLUMNS}) VALUES "
        "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        entry.id,
        entry.organization_id,
        entry.environment_id,
        entry.environment_name,
        entry.user_id,
        entry.user_name,
        entry.action,
        entry.target_id,
        entry.target_name,
        json_of(entry.details),
        entry.address,
        entry.created_at,
    )


async def page(
    connection: Connection, organization_id: str, filter: Filter, asked: Asked
) -> Page[Entry]:
    filters = [
        (name, value)
        for name in Filter.__struct_fields__
        if (value := getattr(filter, name)) is not None
    ]
    return await paging.page(connection, _LISTING, asked, [organization_id], filters, _entry)


async def actions(connection: Connection, organization_id: str) -> list[str]:
    """Every action there is an entry of; found by skipping along the index."""
    rows = await connection.fetch(
        "WITH RECURSIVE found AS ("
        "(SELECT action FROM audit_entries WHERE organization_id = $1 ORDER BY action LIMIT 1) "
        "UNION ALL SELECT (SELECT a.action FROM audit_entries AS a WHERE a.organization_id = $1 "
        "AND a.action > found.action ORDER BY a.action LIMIT 1) FROM found "
        "WHERE found.action IS NOT NULL) "
        "SELECT action FROM found WHERE action IS NOT NULL",
        organization_id,
    )
    return [row["action"] for row in rows]


def _entry(row: Row) -> Entry:
    values = {name: row[name] for name in Entry.__struct_fields__}
    return Entry(**{**values, "details": msgspec.json.decode(row["details"])})
