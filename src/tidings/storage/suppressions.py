"""Addresses that nothing is sent to any more."""

from collections.abc import Iterable, Sequence

from tidings.domain.scope import Scope
from tidings.domain.suppressions import Suppression
from tidings.storage.database import Connection, Row

_COLUMNS = "channel, address, reason, detail, since"


async def add(connection: Connection, scope: Scope, found: Sequence[Suppression]) -> None:
    """What is listed already stays as it is."""
    await connection.executemany(
        f"INSERT INTO suppressions (environment_id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6) "
        "ON CONFLICT DO NOTHING",
        [
            (scope.environment_id, each.channel, each.address, each.reason, each.detail, each.since)
            for each in sorted(found, key=lambda each: (each.channel, each.address))
        ],
    )


async def newest(
    connection: Connection,
    scope: Scope,
    channel: str | None,
    address: str | None,
    offset: int,
    limit: int,
) -> list[Suppression]:
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM suppressions WHERE environment_id = $1 "
        "AND ($2::text IS NULL OR channel = $2) AND ($3::text IS NULL OR address = $3) "
        "ORDER BY since DESC, channel, address OFFSET $4 LIMIT $5",
        scope.environment_id,
        channel,
        address,
        offset,
        limit,
    )
    return [_suppression(row) for row in rows]


async def remove(connection: Connection, scope: Scope, channel: str, address: str) -> bool:
    """False when it is not listed."""
    done = await connection.execute(
        "DELETE FROM suppressions WHERE environment_id = $1 AND channel = $2 AND address = $3",
        scope.environment_id,
        channel,
        address,
    )
    return done != "DELETE 0"


async def among(
    connection: Connection, asked: Iterable[tuple[str, str, str]]
) -> dict[tuple[str, str, str], Suppression]:
    """Those of the (environment, channel, address) that are listed."""
    wanted = sorted(set(asked))
    if not wanted:
        return {}
    rows = await connection.fetch(
        f"SELECT environment_id, {_COLUMNS} FROM suppressions JOIN unnest($1::text[], $2::text[], "
        "$3::text[]) AS n (environment_id, channel, address) "
        "USING (environment_id, channel, address)",
        *(list(column) for column in zip(*wanted, strict=True)),
    )
    return {
        (row["environment_id"], row["channel"], row["address"]): _suppression(row) for row in rows
    }


def _suppression(row: Row) -> Suppression:
    return Suppression(
        channel=row["channel"],
        address=row["address"],
        reason=row["reason"],
        detail=row["detail"],
        since=row["since"],
    )
