"""The pace of integrations: a bucket each, shared by all processes."""

from collections.abc import Mapping
from datetime import datetime

from tidings.storage.database import Connection


async def take(
    connection: Connection, wanted: Mapping[str, int], rate: float, now: datetime
) -> dict[str, float]:
    """Take that many sends from the bucket of each integration; how many of them it had. The
    others are owed: a send that is late by one is due 1/rate seconds from now. A bucket holds the
    sends of one second, and one at least. Integrations that are gone are left out."""
    ids = sorted(wanted)
    rows = await connection.fetch(
        "INSERT INTO send_paces AS p (integration_id, left_over, at) "
        "SELECT n.id, $3 - n.count, $5 FROM unnest($1::text[], $2::int[]) AS n (id, count) "
        "JOIN integrations AS i ON i.id = n.id ORDER BY n.id "
        "ON CONFLICT (integration_id) DO UPDATE SET left_over = least($3, p.left_over + $4 * "
        "greatest(0, extract(epoch FROM excluded.at - p.at)::float8)) + excluded.left_over - $3, "
        "at = greatest(p.at, excluded.at) RETURNING p.integration_id, p.left_over",
        ids,
        [wanted[id] for id in ids],
        max(1.0, rate),
        rate,
        now,
    )
    return {row["integration_id"]: row["left_over"] + wanted[row["integration_id"]] for row in rows}
