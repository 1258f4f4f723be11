"""Removing records that have been kept long enough, in batches that walk along their identifiers.

Identifiers ascend with time, so the old are at the front. A batch looks at a bounded number of
rows, removes those that nothing needs any more, and says where the next one goes on.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.paging import least_id
from tidings.storage.database import Connection

BATCH = 1000
IN_APP = "in_app_messages"
_IN_APP: Channel = "in_app"


class Batch(msgspec.Struct, frozen=True):
    removed: int
    cursor: str | None
    """The last row looked at; None when there are no more."""


Remove = Callable[[Connection, datetime, datetime, str], Awaitable[Batch]]
"""(connection, oldest to keep, now, cursor)"""

# What an open digest gathers is needed until it is closed, though the run it came from is over.
_UNFINISHED = (
    "EXISTS (SELECT FROM jobs AS j LEFT JOIN digests AS d ON d.job_id = j.merged_into AND d.open "
    "WHERE j.notification_id = {id} AND (d.job_id IS NOT NULL "
    "OR j.status IN ('pending', 'queued', 'running', 'delayed')))"
)


async def messages(connection: Connection, oldest: datetime, now: datetime, cursor: str) -> Batch:
    return await _messages(
        connection, [each for each in CHANNELS if each != _IN_APP], oldest, now, cursor
    )


async def in_app_messages(
    connection: Connection, oldest: datetime, now: datetime, cursor: str
) -> Batch:
    return await _messages(connection, [_IN_APP], oldest, now, cursor)


async def notifications(
    connection: Connection, oldest: datetime, now: datetime, cursor: str
) -> Batch:
    """With their jobs."""
    keep = _UNFINISHED.format(id="r.id")
    return await _walk(connection, "notifications", f"NOT {keep}", oldest, cursor)


async def events(connection: Connection, oldest: datetime, now: datetime, cursor: str) -> Batch:
    """Those of which no notification is left."""
    done = (
        "r.status <> 'accepted' "
        "AND NOT EXISTS (SELECT FROM event_parts AS p WHERE p.event_id = r.id) "
        "AND NOT EXISTS (SELECT FROM notifications AS n WHERE n.event_id = r.id)"
    )
    return await _walk(connection, "events", done, oldest, cursor)


async def windows(connection: Connection, oldest: datetime, now: datetime, cursor: str) -> Batch:
    """Digests that are closed, and what look-back digests and throttles no longer ask for."""
    batch = await _walk(connection, "digests", "NOT r.open", oldest, cursor, "job_id")
    if batch.cursor is None:
        await connection.execute("DELETE FROM digest_passes WHERE passed_at < $1", oldest)
        await connection.execute("DELETE FROM throttles WHERE ends_at < $1", min(oldest, now))
    return batch


async def _messages(
    connection: Connection,
    channels: Sequence[Channel],
    oldest: datetime,
    now: datetime,
    cursor: str,
) -> Batch:
    source = (
        "SELECT m.* FROM environments AS e CROSS JOIN unnest($5::text[]) AS c (channel), LATERAL "
        "(SELECT * FROM messages AS m WHERE m.environment_id = e.id AND m.channel = c.channel "
        "AND m.id > $1 AND m.id < $2 ORDER BY m.id LIMIT $3) AS m ORDER BY m.id LIMIT $3"
    )
    keep = _UNFINISHED.format(id="r.notification_id")
    over = f"(r.snoozed_until IS NULL OR r.snoozed_until < $4) AND NOT {keep}"
    return await _remove(
        connection, "messages", "id", source, over, cursor, oldest, now, list(channels)
    )


async def _walk(
    connection: Connection,
    table: str,
    condition: str,
    oldest: datetime,
    cursor: str,
    id: str = "id",
) -> Batch:
    source = f"SELECT * FROM {table} WHERE {id} > $1 AND {id} < $2 ORDER BY {id} LIMIT $3"
    return await _remove(connection, table, id, source, condition, cursor, oldest)


async def _remove(
    connection: Connection,
    table: str,
    id: str,
    source: str,
    condition: str,
    cursor: str,
    oldest: datetime,
    *more: Any,
) -> Batch:
    """`source` are the rows to look at, known as `r` in the condition."""
    row = await connection.fetchrow(
        f"WITH seen AS MATERIALIZED ({source}), gone AS (DELETE FROM {table} AS t "
        f"USING seen AS r WHERE t.{id} = r.{id} AND {condition} RETURNING t.{id}) "
        f"SELECT (SELECT count(*) FROM gone) AS removed, count(*) AS seen, max({id}) AS last "
        "FROM seen",
        cursor,
        least_id(oldest),
        BATCH,
        *more,
    )
    assert row is not None
    return Batch(row["removed"], row["last"] if row["seen"] == BATCH else None)


KINDS: Mapping[str, Remove] = {
    "messages": messages,
    IN_APP: in_app_messages,
    "notifications": notifications,
    "events": events,
    "windows": windows,
}
"""In the order in which they go."""
