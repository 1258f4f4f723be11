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


async def remove_token(
    connection: Connection, subscriber_id: str, integration_id: str, token: str
) -> None:
    """Forget a device token that its provider says is dead."""
    await connection.execute(
        "UPDATE subscribers SET channels = (SELECT coalesce(jsonb_agg(CASE "
        "WHEN entry ->> '_integrationId' = $2 AND entry #> '{credentials,deviceTokens}' ? $3 "
        "THEN jsonb_set(entry, '{credentials,deviceTokens}', "
        "(entry #> '{credentials,deviceTokens}') - $3) ELSE entry END ORDER BY place), '[]') "
        "FROM jsonb_array_elements(channels) WITH ORDINALITY AS e (entry, place)), "
        "version = version + 1 WHERE id = $1",
        subscriber_id,
        integration_id,
        token,
    )
