"""Calling off a transaction: a tombstone first, then everything of it that has not happened yet.

The tombstone waits for whoever is fanning the event out and holds its row (`runs.lock_live`), so
nothing is added behind our back. Jobs are locked before windows, as the engine locks them.
"""

from collections.abc import Sequence
from datetime import datetime

from tidings.domain.notifications import Detail
from tidings.domain.scope import Scope
from tidings.storage import changes
from tidings.storage.database import Connection, Row, json_of

CHANGED = "cancellations"

_OURS = "n.environment_id = $1 AND n.transaction_id = $2"
_FOLLOWING = (
    "FROM notifications AS n JOIN jobs AS j ON j.notification_id = n.id AND j.status = 'merged' "
    "JOIN digests AS d ON d.job_id = j.merged_into AND d.step_id = j.step_id AND d.open "
    f"WHERE {_OURS}"
)


async def cancel(connection: Connection, scope: Scope, transaction_id: str, now: datetime) -> bool:
    """Whether there was anything to stop. Jobs that run are left to their worker: it sends nothing
    that is not with a provider yet."""
    stopped = await _bury(connection, scope, transaction_id, now)
    if stopped is None:
        return False
    left = await _leave_digests(connection, scope, transaction_id, now)
    masters, canceled = await _cancel_jobs(connection, scope, transaction_id, now)
    for master in masters:
        await _hand_over(connection, master, now)
    return stopped or bool(left or canceled)


async def is_called_off(connection: Connection, event_id: str) -> bool:
    """An event that is gone counts as well."""
    off: bool = await connection.fetchval(
        "SELECT NOT EXISTS (SELECT FROM events WHERE id = $1 AND canceled_at IS NULL)", event_id
    )
    return off


async def _bury(
    connection: Connection, scope: Scope, transaction_id: str, now: datetime
) -> bool | None:
    """Write the tombstone; whether that stops a fan-out or messages that may stand in line, None
    when there is no such event."""
    row = await connection.fetchrow(
        "SELECT id, status, canceled_at FROM events "
        "WHERE environment_id = $1 AND transaction_id = $2 FOR UPDATE",
        scope.environment_id,
        transaction_id,
    )
    if row is None:
        return None
    if row["canceled_at"] is not None:
        return False
    await connection.execute(
        "UPDATE events SET canceled_at = $2, "
        "status = CASE status WHEN 'accepted' THEN 'done' ELSE status END WHERE id = $1",
        row["id"],
        now,
    )
    await changes.announce(connection, CHANGED)
    under_way = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM event_parts WHERE event_id = $3) OR EXISTS "
        "(SELECT FROM notifications AS n JOIN jobs AS j ON j.notification_id = n.id "
        f"WHERE {_OURS} AND j.status = 'running')",
        scope.environment_id,
        transaction_id,
        row["id"],
    )
    # A part in a worker's hands is left to it: it waits for our tombstone, and then does nothing.
    await connection.execute(
        "DELETE FROM event_parts WHERE id IN "
        "(SELECT id FROM event_parts WHERE event_id = $1 FOR UPDATE SKIP LOCKED)",
        row["id"],
    )
    return row["status"] == "accepted" or bool(under_way)


async def _leave_digests(
    connection: Connection, scope: Scope, transaction_id: str, now: datetime
) -> int:
    """Take the transaction's events out of open digests that others carry; how many. A digest that
    is handed over while we wait for it is looked for again."""
    left = 0
    while await connection.fetchval(
        f"SELECT EXISTS (SELECT {_FOLLOWING})", scope.environment_id, transaction_id
    ):
        rows = await connection.fetch(
            f"SELECT j.merged_into, j.notification_id {_FOLLOWING} "
            "ORDER BY d.job_id FOR UPDATE OF d",
            scope.environment_id,
            transaction_id,
        )
        await _leave(connection, rows, now)
        left += len(rows)
    return left


async def _leave(connection: Connection, rows: Sequence[Row], now: datetime) -> None:
    await connection.execute(
        "UPDATE digests AS d SET event_count = d.event_count - x.count FROM (SELECT id, count(*) "
        "FROM unnest($1::text[]) AS given (id) GROUP BY id) AS x WHERE d.job_id = x.id",
        [row["merged_into"] for row in rows],
    )
    ours = [row["notification_id"] for row in rows]
    await connection.execute(
        "UPDATE jobs AS j SET status = 'canceled', merged_into = NULL, updated_at = $2, "
        f"{_proof('$2', '$3')} WHERE notification_id = ANY ($1) AND status = 'merged'",
        ours,
        now,
        _detail(now, "Canceled on request; its event left the digest", "canceled"),
    )
    await connection.execute(
        "UPDATE notifications SET digested_into = NULL, updated_at = $2 WHERE id = ANY ($1)",
        ours,
        now,
    )


async def _cancel_jobs(
    connection: Connection, scope: Scope, transaction_id: str, now: datetime
) -> tuple[list[str], int]:
    """Cancel what waits; the jobs among them that carry an open digest, and how many in all."""
    await connection.fetch(
        f"SELECT j.id FROM notifications AS n JOIN jobs AS j ON j.notification_id = n.id "
        f"WHERE {_OURS} AND j.status = 'delayed' AND j.type = 'digest' ORDER BY j.id "
        "FOR UPDATE OF j",
        scope.environment_id,
        transaction_id,
    )
    rows = await connection.fetch(
        f"WITH done AS (UPDATE jobs AS j SET status = 'canceled', due_at = NULL, updated_at = $3, "
        f"{_proof('$3', '$4')} FROM notifications AS n "
        f"WHERE j.notification_id = n.id AND {_OURS} "
        "AND j.status IN ('pending', 'queued', 'delayed') RETURNING j.id, j.type) "
        "SELECT (SELECT count(*) FROM done) AS count, d.job_id FROM (SELECT) AS one "
        "LEFT JOIN (SELECT d.job_id FROM done JOIN digests AS d ON d.job_id = done.id AND d.open "
        "WHERE done.type = 'digest') AS d ON true ORDER BY d.job_id",
        scope.environment_id,
        transaction_id,
        now,
        _detail(now, "Canceled on request", "canceled"),
    )
    return [row["job_id"] for row in rows if row["job_id"] is not None], rows[0]["count"]


async def _hand_over(connection: Connection, master: str, now: datetime) -> None:
    """Give the digest of a canceled job to the oldest job merged into it, or close it."""
    digest = await connection.fetchrow(
        "SELECT due_at, step_id FROM digests WHERE job_id = $1 AND open FOR UPDATE", master
    )
    if digest is None:
        return
    heir = await connection.fetchrow(
        "SELECT id, notification_id, position FROM jobs WHERE merged_into = $1 "
        "AND status = 'merged' AND step_id = $2 ORDER BY id LIMIT 1 FOR UPDATE",
        master,
        digest["step_id"],
    )
    if heir is None:
        await connection.execute("UPDATE digests SET open = false WHERE job_id = $1", master)
        return
    await connection.execute(
        "UPDATE digests SET job_id = $2, event_count = event_count - 1 WHERE job_id = $1",
        master,
        heir["id"],
    )
    await _revive(connection, master, heir, digest["due_at"], now)


async def _revive(
    connection: Connection, master: str, heir: Row, due_at: datetime, now: datetime
) -> None:
    """The heir waits for the end of the window, its later jobs wait for it, the others follow."""
    await connection.execute(
        "UPDATE jobs AS j SET status = 'delayed', due_at = $4, merged_into = NULL, "
        "digest = coalesce((SELECT digest FROM jobs WHERE id = $5), j.digest), "
        f"updated_at = $2, {_proof('$2', '$3')} WHERE id = $1",
        heir["id"],
        now,
        _detail(now, "The event that opened the digest was canceled; this one carries it on", ""),
        due_at,
        master,
    )
    await connection.execute(
        "UPDATE jobs SET status = 'pending', merged_into = NULL, updated_at = $3 "
        "WHERE notification_id = $1 AND position > $2 AND status = 'merged'",
        heir["notification_id"],
        heir["position"],
        now,
    )
    await connection.execute(
        "WITH moved AS (UPDATE jobs SET merged_into = $2, updated_at = $4 WHERE merged_into = $1 "
        "RETURNING notification_id) UPDATE notifications AS n SET digested_into = $3, "
        "updated_at = $4 FROM moved WHERE n.id = moved.notification_id",
        master,
        heir["id"],
        heir["notification_id"],
        now,
    )
    await connection.execute(
        "UPDATE notifications SET digested_into = NULL, updated_at = $2 WHERE id = $1",
        heir["notification_id"],
        now,
    )


def _proof(now: str, detail: str) -> str:
    """Appends the detail, with an identifier of its own for every job."""
    return (
        f"details = j.details || jsonb_build_array({detail}::jsonb || "
        f"jsonb_build_object('id', left(md5(j.id || {now}::timestamptz::text), 24)))"
    )


def _detail(now: datetime, text: str, reason: str) -> str:
    detail = Detail(id="", at=now, status="Success", detail=text, reason=reason)
    return json_of(detail)
