"""Loads many subscribers by COPY, and remembers how far the import of a file has come."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.storage import subscribers
from tidings.storage.database import Connection

_COLUMNS = ("id", "key", *subscribers.TEXTS, "data")


class Progress(msgspec.Struct, frozen=True):
    """Records of the file that are done with, and how many of them were refused."""

    records: int = 0
    failed: int = 0


async def load(
    connection: Connection,
    scope: Scope,
    ids: Sequence[str],
    profiles: Sequence[Profile],
    now: datetime,
) -> int:
    """Make or change all of them; how many are new. Different keys, in their order."""
    await connection.execute(
        "CREATE TEMPORARY TABLE IF NOT EXISTS loaded ("
        + ", ".join(f"{name} text" for name in _COLUMNS)
        + ") ON COMMIT DELETE ROWS"
    )
    await connection.copy_records_to_table(
        "loaded",
        columns=_COLUMNS,
        records=[
            (id, *subscribers.values_of(profile)) for id, profile in zip(ids, profiles, strict=True)
        ],
    )
    return await subscribers.put_loaded(connection, scope, now)


async def progress(connection: Connection, scope: Scope, fingerprint: str) -> Progress | None:
    row = await connection.fetchrow(
        "SELECT records, failed FROM subscriber_imports "
        "WHERE environment_id = $1 AND fingerprint = $2",
        scope.environment_id,
        fingerprint,
    )
    return None if row is None else Progress(row["records"], row["failed"])


async def note(
    connection: Connection, scope: Scope, fingerprint: str, progress: Progress, now: datetime
) -> None:
    """Remember the progress in the transaction of the rows it stands for."""
    await connection.execute(
        "INSERT INTO subscriber_imports (environment_id, fingerprint, records, failed, updated_at)"
        " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (environment_id, fingerprint) "
        "DO UPDATE SET records = $3, failed = $4, updated_at = $5",
        scope.environment_id,
        fingerprint,
        progress.records,
        progress.failed,
        now,
    )


async def forget(connection: Connection, scope: Scope, fingerprint: str) -> None:
    await connection.execute(
        "DELETE FROM subscriber_imports WHERE environment_id = $1 AND fingerprint = $2",
        scope.environment_id,
        fingerprint,
    )
