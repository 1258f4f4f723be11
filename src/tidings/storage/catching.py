"""Caught messages: the newest of every environment."""

from collections.abc import Sequence
from typing import Any

import msgspec

from tidings.domain.catching import MOST_KEPT, Attached, Caught, Glimpse
from tidings.domain.errors import NotFoundError
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, Row, json_of

_COLUMNS = (
    "id, environment_id, channel, recipients, subject, html, text, content, headers, attachments, "
    "message_id, transaction_id, subscriber_key, created_at"
)
_ATTACHED = msgspec.json.Decoder(tuple[Attached, ...])


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """None lets everything pass."""

    channel: str | None = None
    to: str | None = None
    subject: str | None = None
    """A part of it, in any case."""
    transaction_id: str | None = None
    subscriber_key: str | None = None
    id: str | None = None
    newer_than: str | None = None
    older_than: str | None = None
    recipient: str | None = None
    """A part of one of its recipients, in any case."""
    search: str | None = None
    """A part of anything it says, in any case."""


async def add(connection: Connection, caught: Sequence[tuple[Scope, Caught]]) -> None:
    """Keep them, once each, and let the oldest go where there are too many."""
    marks = ", ".join(f"${number}" for number in range(1, 15))
    await connection.executemany(
        f"INSERT INTO caught_messages ({_COLUMNS}) VALUES ({marks}) ON CONFLICT DO NOTHING",
        [_values(scope, each) for scope, each in caught],
    )
    for environment_id in sorted({scope.environment_id for scope, _ in caught}):
        await connection.execute(
            "DELETE FROM caught_messages WHERE id IN (SELECT id FROM caught_messages "
            "WHERE environment_id = $1 ORDER BY id DESC OFFSET $2 FOR UPDATE SKIP LOCKED)",
            environment_id,
            MOST_KEPT,
        )


async def newest(
    connection: Connection, scope: Scope, filter: Filter, offset: int, limit: int
) -> list[Caught]:
    where, arguments = _where(scope, filter)
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM caught_messages WHERE {where} "
        f"ORDER BY id DESC OFFSET {int(offset)} LIMIT {int(limit)}",
        *arguments,
    )
    return [_caught(row) for row in rows]


async def glimpses(
    connection: Connection, scope: Scope, filter: Filter, limit: int
) -> list[Glimpse]:
    """The newest, without all they say."""
    where, arguments = _where(scope, filter)
    rows = await connection.fetch(
        "SELECT id, channel, recipients[1:4] AS recipients, left(subject, 160) AS subject, "
        "left(coalesce(content, text, ''), 160) AS beginning, "
        "jsonb_array_length(attachments) AS attached, subscriber_key, created_at "
        f"FROM caught_messages WHERE {where} ORDER BY id DESC LIMIT {int(limit)}",
        *arguments,
    )
    return [Glimpse(**{**row, "recipients": tuple(row["recipients"])}) for row in rows]


async def any_there(connection: Connection, scope: Scope) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM caught_messages WHERE environment_id = $1)",
        scope.environment_id,
    )
    return found


async def get(connection: Connection, scope: Scope, id: str) -> Caught:
    """By its own id or by that of the message it is."""
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM caught_messages WHERE environment_id = $1 "
        "AND (id = $2 OR message_id = $2)",
        scope.environment_id,
        id.replace("\0", ""),
    )
    if row is None:
        raise NotFoundError(f"No message {id!r} was caught in this environment.", id=id)
    return _caught(row)


async def remove(connection: Connection, scope: Scope, filter: Filter) -> None:
    where, arguments = _where(scope, filter)
    await connection.execute(f"DELETE FROM caught_messages WHERE {where}", *arguments)


def _where(scope: Scope, filter: Filter) -> tuple[str, list[Any]]:
    arguments: list[Any] = [scope.environment_id]
    conditions = ["environment_id = $1"]

    def holds(condition: str, value: str | None) -> None:
        if value is not None:
            arguments.append(value.replace("\0", ""))
            conditions.append(condition.format(f"${len(arguments)}::text"))

    holds("channel = {}", filter.channel)
    holds("EXISTS (SELECT FROM unnest(recipients) AS t WHERE lower(t) = lower({}))", filter.to)
    holds("strpos(lower(subject), lower({})) > 0", filter.subject)
    holds("transaction_id = {}", filter.transaction_id)
    holds("subscriber_key = {}", filter.subscriber_key)
    holds("id = {}", filter.id)
    holds("id > {}", filter.newer_than)
    holds("id < {}", filter.older_than)
    holds("strpos(lower(array_to_string(recipients, ' ')), lower({})) > 0", filter.recipient)
    holds(
        "strpos(lower(concat_ws(' ', subject, content, text, html, subscriber_key, "
        "array_to_string(recipients, ' '))), lower({})) > 0",
        filter.search,
    )
    return " AND ".join(conditions), arguments


def _values(scope: Scope, caught: Caught) -> tuple[Any, ...]:
    return (
        caught.id,
        scope.environment_id,
        caught.channel,
        caught.recipients,
        caught.subject,
        caught.html,
        caught.text,
        caught.content,
        json_of(caught.headers),
        json_of(caught.attachments),
        caught.message_id,
        caught.transaction_id,
        caught.subscriber_key,
        caught.created_at,
    )


def _caught(row: Row) -> Caught:
    return Caught(
        id=row["id"],
        channel=row["channel"],
        recipients=tuple(row["recipients"]),
        subject=row["subject"],
        html=row["html"],
        text=row["text"],
        content=row["content"],
        headers=msgspec.json.decode(row["headers"]),
        attachments=_ATTACHED.decode(row["attachments"]),
        message_id=row["message_id"],
        transaction_id=row["transaction_id"],
        subscriber_key=row["subscriber_key"],
        created_at=row["created_at"],
    )
