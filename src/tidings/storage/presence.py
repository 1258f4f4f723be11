"""Who is online: the inboxes that each process holds, as rows that die with their process.

A process shows that it is alive by a heartbeat; whoever notices that one has stopped takes its rows
away. A subscriber is online while any process holds an inbox of it.
"""

from collections.abc import Sequence
from datetime import datetime

from tidings.storage.database import Connection

# In READ COMMITTED the statements after this one see what those who held the rows have written.
_LOCK = "SELECT FROM subscribers WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE"


async def enter(connection: Connection, process_id: str, now: datetime) -> None:
    """From the commit on, changes of messages are announced. Waits for transactions that have
    decided to announce nothing; needs a transaction of its own."""
    await connection.execute("LOCK TABLE inbox_processes IN EXCLUSIVE MODE")
    await connection.execute(
        "INSERT INTO inbox_processes (id, seen_at) VALUES ($1, $2) "
        "ON CONFLICT (id) DO UPDATE SET seen_at = $2",
        process_id,
        now,
    )


async def beat(connection: Connection, process_id: str, now: datetime) -> bool:
    """False when others have given the process up for dead, with everything it had entered."""
    done = await connection.execute(
        "UPDATE inbox_processes SET seen_at = $2 WHERE id = $1", process_id, now
    )
    return done != "UPDATE 0"


async def come(connection: Connection, process_id: str, subscriber_ids: Sequence[str]) -> None:
    """These have an inbox at the process now."""
    await connection.execute(_LOCK, subscriber_ids)
    await connection.execute(
        "INSERT INTO inbox_presence (subscriber_id, process_id) "
        "SELECT id, $2 FROM subscribers WHERE id = ANY ($1) ON CONFLICT DO NOTHING",
        subscriber_ids,
        process_id,
    )
    await connection.execute(
        "UPDATE subscribers SET is_online = true "
        "WHERE id = ANY ($1) AND is_online IS DISTINCT FROM true",
        subscriber_ids,
    )


async def go(
    connection: Connection, process_id: str, subscriber_ids: Sequence[str], now: datetime
) -> None:
    """These have no inbox at the process any more."""
    await connection.execute(_LOCK, subscriber_ids)
    await connection.execute(
        "DELETE FROM inbox_presence WHERE process_id = $2 AND subscriber_id = ANY ($1)",
        subscriber_ids,
        process_id,
    )
    await _offline(connection, subscriber_ids, now)


async def leave(connection: Connection, process_id: str, now: datetime) -> None:
    """The process holds no inboxes any more."""
    rows = await connection.fetch(
        "SELECT subscriber_id FROM inbox_presence WHERE process_id = $1", process_id
    )
    gone = [row["subscriber_id"] for row in rows]
    await connection.execute(_LOCK, gone)
    await connection.execute("DELETE FROM inbox_processes WHERE id = $1", process_id)
    await _offline(connection, gone, now)


async def dead(connection: Connection, before: datetime) -> list[tuple[str, datetime]]:
    """Processes that were last seen before that time, and when."""
    rows = await connection.fetch(
        "SELECT id, seen_at FROM inbox_processes WHERE seen_at < $1", before
    )
    return [(row["id"], row["seen_at"]) for row in rows]


async def _offline(connection: Connection, subscriber_ids: Sequence[str], now: datetime) -> None:
    await connection.execute(
        "UPDATE subscribers AS s SET is_online = false, "
        "last_online_at = greatest(s.last_online_at, $2) "
        "WHERE s.id = ANY ($1) AND NOT EXISTS "
        "(SELECT FROM inbox_presence AS p WHERE p.subscriber_id = s.id)",
        subscriber_ids,
        now,
    )
