"""Trying again what failed."""

from datetime import datetime

import msgspec

from tidings.domain.channels import CHANNELS
from tidings.domain.notifications import Detail
from tidings.domain.paging import least_id
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, json_of

_FAILED = "j.status = 'failed' AND j.type = ANY ($3)"


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """A job that will be tried again."""

    job_id: str
    notification_id: str
    step_id: str
    type: str


async def of_notification(
    connection: Connection, scope: Scope, id: str, now: datetime
) -> list[Again]:
    return await _again(connection, scope, "n.id = $2", id, now)


async def of_transaction(
    connection: Connection, scope: Scope, transaction_id: str, now: datetime
) -> list[Again]:
    return await _again(connection, scope, "n.transaction_id = $2", transaction_id, now)


async def since(
    connection: Connection, scope: Scope, moment: datetime, now: datetime
) -> list[Again]:
    """Of the notifications made since then."""
    return await _again(connection, scope, "n.id >= $2", least_id(moment), now)


async def _again(
    connection: Connection, scope: Scope, which: str, value: str, now: datetime
) -> list[Again]:
    """Failed channel jobs wait for the engine again, with all their attempts before them."""
    detail = Detail(id="", at=now, status="Pending", detail="Replay requested", reason="replay")
    rows = await connection.fetch(
        "WITH failed AS (SELECT j.id FROM notifications AS n JOIN jobs AS j "
        f"ON j.notification_id = n.id WHERE n.environment_id = $1 AND {which} AND {_FAILED} "
        "ORDER BY j.id FOR UPDATE OF j), revived AS (UPDATE jobs AS j SET status = 'delayed', "
        "due_at = $4, attempts = 0, worker_id = NULL, state = j.state - 'tried', updated_at = $4, "
        "details = j.details || jsonb_build_array($5::jsonb || jsonb_build_object('id', "
        "left(md5(j.id || $4::timestamptz::text), 24))) FROM failed WHERE j.id = failed.id "
        "RETURNING j.id, j.notification_id, j.step_id, j.type) SELECT * FROM revived ORDER BY id",
        scope.environment_id,
        value,
        list(CHANNELS),
        now,
        json_of(detail),
    )
    return [
        Again(
            job_id=row["id"],
            notification_id=row["notification_id"],
            step_id=row["step_id"],
            type=row["type"],
        )
        for row in rows
    ]
