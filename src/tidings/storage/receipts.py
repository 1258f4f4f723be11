"""Receipts that are to be fetched, since their vendors do not send them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from tidings.domain.messages import Message
from tidings.domain.scope import Scope
from tidings.storage.database import Connection
from tidings.storage.deliveries import Source

KEPT_FOR = timedelta(days=1)
_AGAIN_AFTER = timedelta(minutes=30)
_MOST_AT_ONCE = 300


async def expect(
    connection: Connection, sent: Sequence[tuple[Scope, Message, datetime]], now: datetime
) -> None:
    """Messages that were sent, and when to ask for the receipt of each."""
    await connection.executemany(
        "INSERT INTO awaited_receipts (integration_id, message_id, organization_id, "
        "environment_id, provider_id, sent_at, due_at) VALUES ($1, $2, $3, $4, $5, $6, $7) "
        "ON CONFLICT DO NOTHING",
        [
            (
                message.integration_id,
                message.provider_message_id,
                scope.organization_id,
                scope.environment_id,
                message.provider_id,
                now,
                due_at,
            )
            for scope, message, due_at in sent
        ],
    )


async def take_due(connection: Connection, now: datetime) -> dict[Source, list[str]]:
    """The vendor's ids of messages whose receipts are to be fetched now. They come again later,
    until they are forgotten or a day is over."""
    await connection.execute("DELETE FROM awaited_receipts WHERE sent_at < $1", now - KEPT_FOR)
    rows = await connection.fetch(
        "UPDATE awaited_receipts AS a SET due_at = $2 FROM (SELECT integration_id, message_id "
        "FROM awaited_receipts WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)"
        " AS d WHERE a.integration_id = d.integration_id AND a.message_id = d.message_id "
        "RETURNING a.*",
        now,
        now + _AGAIN_AFTER,
        _MOST_AT_ONCE,
    )
    found: dict[Source, list[str]] = {}
    for row in rows:
        scope = Scope(row["organization_id"], row["environment_id"])
        source = Source(scope, row["integration_id"], row["provider_id"])
        found.setdefault(source, []).append(row["message_id"])
    return found


async def forget(connection: Connection, integration_id: str, ids: Sequence[str]) -> None:
    await connection.execute(
        "DELETE FROM awaited_receipts WHERE integration_id = $1 AND message_id = ANY ($2)",
        integration_id,
        ids,
    )
