"""The in-app messages of one subscriber."""

from tidings.domain.inbox import MOST_COUNTED, SEVERITIES, Unread
from tidings.domain.scope import Scope
from tidings.storage.database import Connection


async def unread(connection: Connection, scope: Scope, subscriber_id: str) -> Unread:
    """What the bell shows: neither read, archived nor snoozed."""
    rows = await connection.fetch(
        "SELECT wanted.severity, (SELECT count(*) FROM (SELECT FROM messages AS m "
        "WHERE m.subscriber_id = $2 AND m.environment_id = $1 AND m.severity = wanted.severity "
        "AND m.channel = 'in_app' AND NOT m.read AND NOT m.archived AND m.snoozed_until IS NULL "
        "LIMIT $4) AS found) AS count FROM unnest($3::text[]) AS wanted (severity)",
        scope.environment_id,
        subscriber_id,
        list(SEVERITIES),
        MOST_COUNTED + 1,
    )
    return Unread.of({row["severity"]: row["count"] for row in rows})
