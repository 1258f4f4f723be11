"""Reading triggers as a whole, those that reached nobody among them."""

from collections.abc import Collection
from datetime import datetime

from tidings.domain.activities import Cause, Triggered
from tidings.domain.paging import least_id
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, Row
from tidings.storage.runs import event_of

LOOKED_AT = 2000
"""How many of the newest triggers are searched for those that reached nobody."""

_COLUMNS = (
    "e.id, e.transaction_id, e.workflow_id, e.workflow_version, e.recipients, e.payload, "
    "e.overrides, e.actor, e.tenant, e.context, e.created_at, e.status, e.canceled_at, "
    "w.key AS workflow_key, w.name AS workflow_name, w.origin, "
    "EXISTS (SELECT FROM notifications AS n WHERE n.event_id = e.id) AS reached"
)
_WORKFLOW = "LEFT JOIN workflows AS w ON w.id = e.workflow_id"


async def find(connection: Connection, scope: Scope, transaction_id: str) -> Triggered | None:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM events AS e {_WORKFLOW} "
        "WHERE e.environment_id = $1 AND e.transaction_id = $2",
        scope.environment_id,
        transaction_id,
    )
    return None if row is None else _triggered(row)


async def unheard(
    connection: Connection, scope: Scope, after: datetime, limit: int
) -> list[Triggered]:
    """Those made since then that reached nobody, among the newest, newest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM (SELECT * FROM events WHERE environment_id = $1 AND id >= $2 "
        f"ORDER BY id DESC LIMIT {LOOKED_AT}) AS e {_WORKFLOW} "
        "WHERE NOT EXISTS (SELECT FROM notifications AS n WHERE n.event_id = e.id) "
        "ORDER BY e.id DESC LIMIT $3",
        scope.environment_id,
        least_id(after),
        limit,
    )
    return [_triggered(row) for row in rows]


async def topics_with_members(
    connection: Connection, scope: Scope, keys: Collection[str]
) -> dict[str, bool]:
    """Those of the topics that exist, and whether anybody belongs to them."""
    rows = await connection.fetch(
        "SELECT t.key, EXISTS (SELECT FROM topic_subscriptions AS m WHERE m.topic_id = t.id) "
        "AS peopled FROM topics AS t WHERE t.environment_id = $1 AND t.key = ANY ($2)",
        scope.environment_id,
        list(keys),
    )
    return {row["key"]: row["peopled"] for row in rows}


def _triggered(row: Row) -> Triggered:
    cause = Cause(
        id=row["workflow_id"],
        key=row["workflow_key"],
        name=row["workflow_name"],
        origin=row["origin"],
    )
    return Triggered(
        event=event_of(row),
        status=row["status"],
        canceled_at=row["canceled_at"],
        workflow=None if row["workflow_key"] is None else cause,
        reached=row["reached"],
    )
