"""Reading and removing messages."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.activities import Delivered
from tidings.domain.errors import NotFoundError
from tidings.domain.messages import UNEXPECTED, Change, Message
from tidings.domain.paging import MOST_COUNTED
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.domain.workflows import Workflow
from tidings.storage import subscribers, workflows
from tidings.storage.database import Connection, Row, beside, raw
from tidings.storage.newest import Question

_COLUMNS = (
    "r.id, r.notification_id, r.job_id, r.event_id, r.transaction_id, r.workflow_id, r.step_id, "
    "r.subscriber_id, r.channel, r.target, r.provider_id, r.integration_id, "
    "r.provider_message_id, r.status, r.error_id, r.error_text, r.content, r.subject, r.address, "
    "r.cta, r.data, r.avatar, r.tags, r.severity, r.context_keys, r.delivered_at, r.created_at, "
    "r.seen, r.read, r.last_seen_at, r.last_read_at, r.snoozed_until, e.payload, e.overrides"
)
_PERSON = ", ".join(f"s.{name} AS s_{name}" for name in subscribers.COLUMNS.split(", "))
_CAUSE = ", ".join(
    f"CASE WHEN f.first THEN w.{name} END AS w_{name}" for name in workflows.COLUMNS.split(", ")
)
"""The workflow stands in one of the rows that share it."""


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """None lets everything pass."""

    channel: str | None = None
    subscriber_ids: Sequence[str] | None = None
    transaction_ids: Sequence[str] | None = None
    context_keys: Sequence[str] | None = None
    """Messages with exactly these contexts."""
    after: datetime | None = None
    before: datetime | None = None


class Page(msgspec.Struct, frozen=True):
    items: list[Delivered]
    more: bool
    total: int | None
    """Exact; None when there are more than are counted."""


async def page(
    connection: Connection, scope: Scope, filter: Filter, offset: int, limit: int
) -> Page:
    """Newest first."""
    question = asked(scope, filter)
    ids = question.page(offset, limit)
    rows = await connection.fetch(_whole(ids), *question.arguments)
    more = len(rows) > limit
    items = _all_delivered(rows, limit)
    if not more and (rows or offset == 0):
        return Page(items, more, offset + len(rows))
    question = asked(scope, filter)
    total = await connection.fetchval(question.count(), *question.arguments)
    return Page(items, more, None if total > MOST_COUNTED else total)


async def by_ids(
    connection: Connection, scope: Scope, subscriber_id: str, ids: Sequence[str]
) -> list[Delivered]:
    """Those of the subscriber's in-app messages that have one of these ids, newest first."""
    found = (
        "SELECT id FROM messages WHERE environment_id = $1 AND subscriber_id = $2 "
        "AND channel = 'in_app' AND id = ANY ($3)"
    )
    rows = await connection.fetch(_whole(found), scope.environment_id, subscriber_id, list(ids))
    return _all_delivered(rows, len(rows))


def _whole(ids: str) -> str:
    """The messages that a query finds with all that is told of them, newest first."""
    return (
        f"SELECT {_COLUMNS}, {_PERSON}, {_CAUSE} FROM (SELECT m.id, "
        "row_number() OVER (PARTITION BY m.workflow_id) = 1 AS first "
        f"FROM ({ids}) AS found JOIN messages AS m ON m.id = found.id) AS f "
        "JOIN messages AS r ON r.id = f.id LEFT JOIN events AS e ON e.id = r.event_id "
        "LEFT JOIN subscribers AS s ON s.id = r.subscriber_id "
        "LEFT JOIN workflows AS w ON w.id = r.workflow_id AND w.environment_id = r.environment_id "
        "ORDER BY r.id DESC"
    )


def asked(scope: Scope, filter: Filter) -> Question:
    question = Question("messages", scope.environment_id)
    question.any_of("transaction_id", filter.transaction_ids)
    question.any_of("subscriber_id", filter.subscriber_ids)
    question.any_of("channel", None if filter.channel is None else [filter.channel])
    if filter.context_keys is not None:
        keys = question.argument(list(filter.context_keys), "text[]")
        question.where(f"r.context_keys @> {keys} AND r.context_keys <@ {keys}")
    question.between(filter.after, filter.before)
    return question


async def of_jobs(
    connection: Connection, scope: Scope, job_ids: Sequence[str], limit: int
) -> list[Delivered]:
    """What these steps produced, oldest first, without the people and workflows beside it."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM messages AS r LEFT JOIN events AS e ON e.id = r.event_id "
        "WHERE r.environment_id = $1 AND r.job_id = ANY ($2) ORDER BY r.id LIMIT $3",
        scope.environment_id,
        job_ids,
        limit,
    )
    return [_delivered(row, None, None) for row in rows]


async def get(connection: Connection, scope: Scope, id: str) -> Message:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM messages AS r LEFT JOIN events AS e ON e.id = r.event_id "
        "WHERE r.environment_id = $1 AND r.id = $2",
        scope.environment_id,
        id,
    )
    if row is None:
        raise NotFoundError(f"There is no message {id!r}.", messageId=id)
    return _message(row)


async def lock_reported(
    connection: Connection, scope: Scope, integration_id: str, ids: Sequence[str]
) -> list[Message]:
    """Those that went out through the integration under one of these ids, the vendor's or ours;
    held until the transaction ends."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM messages AS r LEFT JOIN events AS e ON e.id = r.event_id "
        "WHERE r.environment_id = $1 AND r.integration_id = $2 "
        "AND (r.provider_message_id = ANY ($3) OR r.id = ANY ($3)) ORDER BY r.id FOR UPDATE OF r",
        scope.environment_id,
        integration_id,
        ids,
    )
    return [_message(row) for row in rows]


async def note_reports(
    connection: Connection, changes: Sequence[tuple[Message, Change]], now: datetime
) -> None:
    """What vendors reported, oldest first."""
    await connection.execute(
        "UPDATE messages AS m SET delivered_at = m.delivered_at || n.delivered, "
        "seen = m.seen OR n.read_at IS NOT NULL, read = m.read OR n.read_at IS NOT NULL, "
        "first_seen_at = coalesce(m.first_seen_at, n.read_at), "
        "last_seen_at = greatest(m.last_seen_at, n.read_at), "
        "last_read_at = greatest(m.last_read_at, n.read_at), "
        "status = CASE WHEN n.error IS NULL THEN m.status ELSE 'error' END, "
        "error_text = coalesce(n.error, m.error_text), "
        "error_id = CASE WHEN n.error IS NULL THEN m.error_id ELSE n.error_id END, "
        "updated_at = $6 FROM (SELECT id, max(error_id) AS error_id, max(read_at) AS read_at, "
        "coalesce(array_agg(delivered_at) FILTER (WHERE delivered_at IS NOT NULL), '{}') "
        "AS delivered, (array_agg(error) FILTER (WHERE error IS NOT NULL))[1] AS error "
        "FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::text[]) "
        "AS c (id, delivered_at, read_at, error, error_id) GROUP BY id) AS n WHERE m.id = n.id",
        [message.id for message, _ in changes],
        [change.delivered_at for _, change in changes],
        [change.read_at for _, change in changes],
        [change.error for _, change in changes],
        [UNEXPECTED.get(message.channel) for message, _ in changes],
        now,
    )


async def remove(connection: Connection, scope: Scope, id: str) -> list[str]:
    """Whose message it was; nobody's when there is none."""
    rows = await connection.fetch(
        "DELETE FROM messages WHERE environment_id = $1 AND id = $2 RETURNING subscriber_id",
        scope.environment_id,
        id,
    )
    return [row["subscriber_id"] for row in rows]


async def remove_transaction(
    connection: Connection, scope: Scope, transaction_id: str, channel: str | None
) -> list[str]:
    """Those that a trigger led to, on one channel or on all; whose messages they were."""
    rows = await connection.fetch(
        "DELETE FROM messages WHERE environment_id = $1 AND transaction_id = $2 "
        "AND ($3::text IS NULL OR channel = $3) RETURNING subscriber_id",
        scope.environment_id,
        transaction_id,
        channel,
    )
    return list({row["subscriber_id"] for row in rows})


def _all_delivered(rows: Sequence[Row], limit: int) -> list[Delivered]:
    causes = {
        row["w_id"]: workflows.workflow_of(beside(row, "w_"))
        for row in rows
        if row["w_id"] is not None
    }
    return [
        _delivered(
            row,
            None if row["s_id"] is None else subscribers.subscriber_of(beside(row, "s_")),
            causes.get(row["workflow_id"]),
        )
        for row in rows[:limit]
    ]


def _delivered(row: Row, subscriber: Subscriber | None, workflow: Workflow | None) -> Delivered:
    return Delivered(
        message=_message(row),
        seen=row["seen"],
        read=row["read"],
        last_seen_at=row["last_seen_at"],
        last_read_at=row["last_read_at"],
        snoozed_until=row["snoozed_until"],
        payload=raw(row["payload"]),
        overrides=raw(row["overrides"]),
        subscriber=subscriber,
        workflow=workflow,
    )


def _message(row: Row) -> Message:
    return Message(
        id=row["id"],
        notification_id=row["notification_id"],
        job_id=row["job_id"],
        event_id=row["event_id"],
        transaction_id=row["transaction_id"],
        workflow_id=row["workflow_id"],
        step_id=row["step_id"],
        subscriber_id=row["subscriber_id"],
        channel=row["channel"],
        target=row["target"],
        provider_id=row["provider_id"],
        integration_id=row["integration_id"],
        provider_message_id=row["provider_message_id"],
        status=row["status"],
        error_id=row["error_id"],
        error_text=row["error_text"],
        content=msgspec.json.decode(row["content"]),
        subject=row["subject"],
        address=msgspec.json.decode(row["address"]),
        cta=msgspec.json.decode(row["cta"]),
        data=_decoded(row["data"]),
        avatar=row["avatar"],
        tags=tuple(row["tags"]),
        severity=row["severity"],
        context_keys=tuple(row["context_keys"]),
        delivered_at=tuple(row["delivered_at"]),
        created_at=row["created_at"],
    )


def _decoded(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)
