"""What an environment can deliver through at present, in one question."""

from tidings.domain.issues import Connections
from tidings.domain.scope import Scope
from tidings.storage.database import Connection


async def of(connection: Connection, scope: Scope) -> Connections:
    rows = await connection.fetch(
        "SELECT environments.inbox_connected_at IS NOT NULL AS inbox, integrations.channel, "
        "bool_or(integrations.is_primary) AS is_primary FROM environments "
        "LEFT JOIN integrations ON integrations.environment_id = environments.id "
        "AND integrations.active AND integrations.deleted_at IS NULL "
        "WHERE environments.id = $1 GROUP BY environments.id, integrations.channel",
        scope.environment_id,
    )
    active = {row["channel"]: row["is_primary"] for row in rows if row["channel"] is not None}
    return Connections(active, any(row["inbox"] for row in rows))


async def note_inbox(connection: Connection, scope: Scope) -> None:
    """Remember that an inbox opened a session here; costs nothing after the first time."""
    await connection.execute(
        "UPDATE environments SET inbox_connected_at = now() "
        "WHERE id = $1 AND inbox_connected_at IS NULL",
        scope.environment_id,
    )
