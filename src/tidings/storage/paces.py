"""The pace of integrations: a bucket each, shared by all processes."""

from collections.abc import Mapping
from datetime import datetime

from tidings.storage.database import Connection


async def take(
    connection: Connection, wanted: Mapping[str, int], rates: Mapping[str, float], now: datetime
) -> dict[str, float]:
    """Take that many sends from the bucket of each integration; how many of them it had. The
    others are owed: a send that is late by one is due 1/rate seconds from now. A bucket holds the
    sends of one second, and one at least. Integrations that are gone are left out."""
    ids = sorted(wanted)
    rows = await connection.fetch(
        "INSERT INTO send_paces AS p (integration_id, left_over, at) "
        "SELECT n.id, greatest(1, n.rate) - n.count, $4 "
        "FROM unnest($1::text[], $2::int[], $3::float8[]) AS n (id, count, rate) "
        "JOIN integrations AS i ON i.id = n.id ORDER BY n.id "
        "ON CONFLICT (integration_id) DO UPDATE SET (left_over, at) = (SELECT "
        "least(greatest(1, n.rate), p.left_over + n.rate * "
        "greatest(0, extract(epoch FROM excluded.at - p.at)::float8)) - n.count, "
        "greatest(p.at, excluded.at) FROM unnest($1::text[], $2::int[], $3::float8[]) "
        "AS n (id, count, rate) WHERE n.id = excluded.integration_id) "
        "RETURNING p.integration_id, p.left_over",
        ids,
        [wanted[id] for id in ids],
        [rates[id] for id in ids],
        now,
    )
    return {row["integration_id"]: row["left_over"] + wanted[row["integration_id"]] for row in rows}
