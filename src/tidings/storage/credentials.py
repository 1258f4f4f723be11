"""Which integration a subscriber's credentials belong to."""

from tidings.domain.scope import Scope
from tidings.storage.database import Connection


async def integration_id(
    connection: Connection, scope: Scope, provider_id: str, identifier: str | None
) -> str | None:
    """The integration of that identifier, or the newest active one of the provider."""
    found: str | None = await connection.fetchval(
        "SELECT id FROM integrations WHERE environment_id = $1 AND deleted_at IS NULL "
        "AND provider_id = $2 AND CASE WHEN $3::text IS NULL THEN active ELSE identifier = $3 END "
        "ORDER BY id DESC LIMIT 1",
        scope.environment_id,
        provider_id,
        identifier,
    )
    return found
