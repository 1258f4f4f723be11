"""Every version of every workflow, as it was saved."""

import msgspec

from tidings.domain.errors import NotFoundError
from tidings.domain.scope import Scope
from tidings.domain.workflows import Author, Definition, Version
from tidings.storage.database import Connection, Row, json_of, json_unless_none

_COLUMNS = "workflow_id, version, changes, saved_at, saved_by"


async def add(connection: Connection, scope: Scope, version: Version) -> None:
    await connection.execute(
        f"INSERT INTO workflow_versions ({_COLUMNS}, environment_id, document) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        version.workflow_id,
        version.version,
        version.changes,
        version.saved_at,
        json_unless_none(version.saved_by),
        scope.environment_id,
        json_of(version.definition),
    )


async def page(
    connection: Connection, scope: Scope, workflow_id: str, limit: int, offset: int
) -> list[Version]:
    """Newest first, without the definitions."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS}, NULL AS document FROM workflow_versions "
        "WHERE environment_id = $1 AND workflow_id = $2 "
        "ORDER BY version DESC LIMIT $3 OFFSET $4",
        scope.environment_id,
        workflow_id,
        limit,
        offset,
    )
    return [_version(row) for row in rows]


async def get(connection: Connection, scope: Scope, workflow_id: str, version: int) -> Version:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS}, document FROM workflow_versions "
        "WHERE environment_id = $1 AND workflow_id = $2 AND version = $3",
        scope.environment_id,
        workflow_id,
        version,
    )
    if row is None:
        raise NotFoundError(
            f"The workflow has no version {version}; GET its versions to see which it has.",
            version=version,
        )
    return _version(row)


def _version(row: Row) -> Version:
    by, document = row["saved_by"], row["document"]
    return Version(
        workflow_id=row["workflow_id"],
        version=row["version"],
        saved_at=row["saved_at"],
        saved_by=None if by is None else msgspec.json.decode(by, type=Author),
        changes=row["changes"],
        definition=None if document is None else msgspec.json.decode(document, type=Definition),
    )
