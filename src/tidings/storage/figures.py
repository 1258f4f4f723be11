"""Figures of an environment over time. Identifiers ascend with time, so a stretch of it is a range
of them; no more than the newest rows of a busy one are looked at."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from tidings.domain.figures import Begun, Failure, Health, Moment, Trouble
from tidings.domain.paging import least_id
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, Row

MOST_ROWS = 200_000
MOST_TIMED = 5_000
MOST_SEARCHED = 50_000


async def moments(
    connection: Connection, scope: Scope, starts: Sequence[datetime], step: timedelta
) -> list[Moment]:
    """One for each start, whether anything happened or not."""
    arguments = (scope.environment_id, least_id(starts[0]), starts[0], step)
    events = await connection.fetch(
        "SELECT date_bin($4, created_at, $3) AS at, count(*) AS count FROM (SELECT created_at "
        "FROM events WHERE id >= $2 AND environment_id = $1 ORDER BY id DESC "
        f"LIMIT {MOST_ROWS}) AS r GROUP BY 1",
        *arguments,
    )
    messages = await connection.fetch(
        "SELECT date_bin($4, created_at, $3) AS at, count(*) FILTER (WHERE status <> 'error') "
        "AS sent, count(*) FILTER (WHERE status = 'error') AS failed FROM (SELECT created_at, "
        "status FROM messages WHERE environment_id = $1 AND id >= $2 ORDER BY id DESC "
        f"LIMIT {MOST_ROWS}) AS r GROUP BY 1",
        *arguments,
    )
    times = await _times(connection, arguments)
    triggered = {row["at"]: row["count"] for row in events}
    sent = {row["at"]: row for row in messages}
    return [_moment(at, triggered.get(at, 0), sent.get(at), times.get(at)) for at in starts]


async def _times(
    connection: Connection, arguments: tuple[str, str, datetime, timedelta]
) -> dict[datetime, Row]:
    """How long messages took from the trigger on, where no step waits on purpose."""
    rows = await connection.fetch(
        "SELECT date_bin($4, sent_at, $3) AS at, percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP "
        "(ORDER BY extract(epoch FROM sent_at - triggered_at)) AS seconds FROM "
        "(SELECT m.created_at AS sent_at, e.created_at AS triggered_at FROM (SELECT * FROM "
        "messages WHERE environment_id = $1 AND id >= $2 AND status <> 'error' ORDER BY id DESC "
        f"LIMIT {MOST_TIMED}) AS m JOIN events AS e ON e.id = m.event_id WHERE NOT EXISTS "
        "(SELECT FROM jobs AS j WHERE j.notification_id = m.notification_id "
        "AND j.type IN ('delay', 'digest', 'throttle'))) AS r GROUP BY 1",
        *arguments,
    )
    return {row["at"]: row for row in rows}


async def troubles(connection: Connection, scope: Scope, since: datetime) -> list[Trouble]:
    """Integrations of which at least one send in twenty failed, the worst first."""
    rows = await connection.fetch(
        "SELECT i.id AS integration_id, i.name, i.identifier, i.channel, found.sent, "
        "found.failed, found.last_error, found.last_at FROM (SELECT integration_id, "
        "count(*) FILTER (WHERE status <> 'error') AS sent, "
        "count(*) FILTER (WHERE status = 'error') AS failed, "
        "max(created_at) FILTER (WHERE status = 'error') AS last_at, "
        "(array_agg(coalesce(error_text, error_id, '') ORDER BY id DESC) "
        "FILTER (WHERE status = 'error'))[1] AS last_error "
        "FROM (SELECT * FROM messages WHERE environment_id = $1 AND id >= $2 "
        f"AND integration_id IS NOT NULL ORDER BY id DESC LIMIT {MOST_ROWS}) AS m "
        "GROUP BY integration_id) AS found JOIN integrations AS i ON i.id = found.integration_id "
        "AND i.environment_id = $1 AND i.deleted_at IS NULL "
        "WHERE found.failed * 20 >= found.sent + found.failed AND found.failed > 0 "
        "ORDER BY found.failed DESC LIMIT 20",
        scope.environment_id,
        least_id(since),
    )
    return [Trouble(**row) for row in rows]


async def healths(connection: Connection, scope: Scope, since: datetime) -> dict[str, Health]:
    """By the ids of the integrations that sent anything."""
    rows = await connection.fetch(
        "SELECT integration_id, count(*) FILTER (WHERE status <> 'error') AS sent, "
        "count(*) FILTER (WHERE status = 'error') AS failed, max(created_at) AS last_at, "
        "max(created_at) FILTER (WHERE status = 'error') AS last_failed_at, "
        "(array_agg(coalesce(error_text, error_id, '') ORDER BY id DESC) "
        "FILTER (WHERE status = 'error'))[1] AS last_error "
        "FROM (SELECT * FROM messages WHERE environment_id = $1 AND id >= $2 "
        f"AND integration_id IS NOT NULL ORDER BY id DESC LIMIT {MOST_ROWS}) AS m "
        "GROUP BY integration_id",
        scope.environment_id,
        least_id(since),
    )
    return {
        row["integration_id"]: Health(**{name: row[name] for name in Health.__struct_fields__})
        for row in rows
    }


async def failures(
    connection: Connection, scope: Scope, channel: str, integration_id: str, limit: int
) -> list[Failure]:
    """The newest sends of the integration that failed."""
    rows = await connection.fetch(
        "SELECT id AS message_id, transaction_id, error_id, error_text, created_at AS at FROM "
        "(SELECT * FROM messages WHERE environment_id = $1 AND channel = $2 ORDER BY id DESC "
        f"LIMIT {MOST_SEARCHED}) AS m WHERE integration_id = $3 AND status = 'error' "
        "ORDER BY id DESC LIMIT $4",
        scope.environment_id,
        channel,
        integration_id,
        limit,
    )
    return [Failure(**row) for row in rows]


async def begun(connection: Connection, scope: Scope, in_app_provider: str) -> Begun:
    row = await connection.fetchrow(
        "SELECT EXISTS (SELECT FROM workflows WHERE environment_id = $1) AS workflow, "
        "EXISTS (SELECT FROM integrations WHERE environment_id = $1 AND deleted_at IS NULL "
        "AND active AND provider_id <> $2) AS provider, "
        "EXISTS (SELECT FROM subscribers WHERE environment_id = $1) AS subscriber, "
        "EXISTS (SELECT FROM events WHERE environment_id = $1) AS event",
        scope.environment_id,
        in_app_provider,
    )
    assert row is not None
    return Begun(**row)


def _moment(at: datetime, events: int, sent: Row | None, timed: Row | None) -> Moment:
    return Moment(
        at=at,
        events=events,
        sent=0 if sent is None else sent["sent"],
        failed=0 if sent is None else sent["failed"],
        median_seconds=None if timed is None else timed["seconds"][0],
        slow_seconds=None if timed is None else timed["seconds"][1],
    )
