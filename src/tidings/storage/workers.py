"""Which engine processes are alive, by their heartbeats."""

from datetime import datetime

from tidings.storage.database import Connection


async def beat(connection: Connection, id: str, started_at: datetime, now: datetime) -> None:
    await connection.execute(
        "INSERT INTO workers (id, started_at, seen_at) VALUES ($1, $2, $3) "
        "ON CONFLICT (id) DO UPDATE SET seen_at = $3",
        id,
        started_at,
        now,
    )


async def leave(connection: Connection, id: str) -> None:
    await connection.execute("DELETE FROM workers WHERE id = $1", id)


async def bury(connection: Connection, before: datetime) -> None:
    """Forget workers that were last seen before that time."""
    await connection.execute("DELETE FROM workers WHERE seen_at < $1", before)


async def seen_since(connection: Connection, since: datetime, id: str | None = None) -> int:
    """How many workers, or whether that one, showed a sign of life since then."""
    count: int = await connection.fetchval(
        "SELECT count(*) FROM workers WHERE seen_at >= $1 AND ($2::text IS NULL OR id = $2)",
        since,
        id,
    )
    return count


async def alive(connection: Connection, since: datetime) -> list[str]:
    rows = await connection.fetch("SELECT id FROM workers WHERE seen_at >= $1", since)
    return [row["id"] for row in rows]
