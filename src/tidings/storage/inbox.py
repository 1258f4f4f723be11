"""The in-app messages of one subscriber: found, counted and changed by nobody else's id.

Every statement names the environment and the subscriber, so an id of another's message is unknown.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.errors import NotFoundError
from tidings.domain.inbox import (
    MOST_COUNTED,
    Filter,
    InboxMessage,
    Reader,
    Received,
    State,
    Workflow,
)
from tidings.domain.scope import Scope
from tidings.domain.workflows import Preferences
from tidings.storage.database import Connection, Row, json_of
from tidings.storage.inbox_questions import OWN, Question

_COLUMNS = (
    "m.id, m.notification_id, m.job_id, m.step_id, m.workflow_id, m.transaction_id, m.content, "
    "m.subject, m.avatar, m.cta, m.data, m.tags, m.severity, m.context_keys, m.provider_id, "
    "m.seen, m.read, m.archived, m.first_seen_at, m.last_seen_at, m.last_read_at, m.archived_at, "
    "m.snoozed_until, m.delivered_at, m.created_at, m.updated_at, w.key AS workflow_key, "
    "w.name AS workflow_name, w.tags AS workflow_tags, w.severity AS workflow_severity, "
    "w.preferences AS workflow_preferences"
)
_WITH_WORKFLOW = "LEFT JOIN workflows AS w ON w.id = m.workflow_id"
_READER = (
    "s.id AS reader_id, s.key AS reader_key, s.first_name, s.last_name, s.email, s.phone, "
    "s.avatar AS reader_avatar, s.locale, s.timezone, s.data AS reader_data"
)
_RECEIVED = (
    f"SELECT {_COLUMNS}, {_READER} FROM messages AS m JOIN subscribers AS s "
    f"ON s.id = m.subscriber_id {_WITH_WORKFLOW}"
)


class Page(msgspec.Struct, frozen=True):
    items: list[InboxMessage]
    more: bool


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    items: list[InboxMessage]
    payloads: list[dict[str, Any] | None]
    """Of the triggers that led to them, where that is still known."""
    more: bool
    total: int


class Redelivered(msgspec.Struct, frozen=True):
    environment_id: str
    subscriber_id: str
    message_id: str


async def page(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filter: Filter,
    limit: int,
    after: str | None = None,
    offset: int = 0,
) -> Page:
    """Newest first, those behind the message `after`; nothing behind an unknown one."""
    question = Question(scope, subscriber_id)
    question.ask(filter)
    if after is not None:
        question.where.append(
            "(m.created_at, m.id) < (SELECT c.created_at, c.id FROM messages AS c "
            "WHERE c.environment_id = $1 AND c.subscriber_id = $2 AND c.channel = 'in_app' "
            f"AND c.id = {question.argument(after)})"
        )
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM messages AS m {_WITH_WORKFLOW} WHERE {question.conditions()} "
        f"ORDER BY m.created_at DESC, m.id DESC LIMIT {question.argument(limit + 1)} "
        f"OFFSET {question.argument(offset)}",
        *question.arguments,
    )
    return Page([_message(row) for row in rows[:limit]], len(rows) > limit)


async def counts(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filters: Sequence[Filter],
    most: int = MOST_COUNTED,
) -> list[int]:
    """How many pass each filter, up to `most`, in one question."""
    question = Question(scope, subscriber_id)
    parts = []
    for filter in filters:
        question.where = [OWN]
        question.ask(filter)
        parts.append(
            f"(SELECT count(*) FROM (SELECT FROM messages AS m WHERE {question.conditions()} "
            f"LIMIT {question.argument(most)}) AS found)"
        )
    found: list[int] = await connection.fetchval(
        f"SELECT ARRAY[{', '.join(parts)}]", *question.arguments
    )
    return found


async def feed(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filter: Filter,
    limit: int,
    offset: int,
    most: int,
) -> Feed:
    """A page with how many there are, up to `most`, and what triggered them, in one question."""
    question = Question(scope, subscriber_id)
    question.ask(filter)
    matching = f"FROM messages AS m WHERE {question.conditions()}"
    rows = await connection.fetch(
        f"WITH counted AS (SELECT count(*) AS total FROM (SELECT {matching} "
        f"LIMIT {question.argument(most)}) AS found) "
        f"SELECT {_COLUMNS}, e.payload, counted.total FROM counted "
        f"LEFT JOIN (SELECT * {matching} ORDER BY m.created_at DESC, m.id DESC "
        f"LIMIT {question.argument(limit + 1)} OFFSET {question.argument(offset)}) AS m ON true "
        f"{_WITH_WORKFLOW} LEFT JOIN events AS e ON e.id = m.event_id "
        "ORDER BY m.created_at DESC, m.id DESC",
        *question.arguments,
    )
    found = [row for row in rows if row["id"] is not None]
    return Feed(
        items=[_message(row) for row in found[:limit]],
        payloads=[_decoded(row["payload"]) for row in found[:limit]],
        more=len(found) > limit,
        total=rows[0]["total"],
    )


async def received(connection: Connection, scope: Scope, ids: Sequence[str]) -> list[Received]:
    """Messages of many subscribers, oldest first, to be told to those whose they are."""
    rows = await connection.fetch(
        f"{_RECEIVED} WHERE m.environment_id = $1 AND m.id = ANY ($2) AND m.channel = 'in_app' "
        "ORDER BY m.created_at, m.id",
        scope.environment_id,
        ids,
    )
    return [Received(_reader(row), _message(row)) for row in rows]


async def received_since(
    connection: Connection, scope: Scope, subscriber_id: str, since: datetime, limit: int
) -> list[Received]:
    """The newest that arrived since then, oldest first; nothing that is snoozed."""
    rows = await connection.fetch(
        f"{_RECEIVED} WHERE {OWN} AND m.created_at >= $3 AND m.snoozed_until IS NULL "
        "ORDER BY m.created_at DESC, m.id DESC LIMIT $4",
        scope.environment_id,
        subscriber_id,
        since,
        limit,
    )
    return [Received(_reader(row), _message(row)) for row in reversed(rows)]


async def get(connection: Connection, scope: Scope, subscriber_id: str, id: str) -> InboxMessage:
    return _present(await _find(connection, scope, subscriber_id, id, ""), id)


async def lock(connection: Connection, scope: Scope, subscriber_id: str, id: str) -> InboxMessage:
    """As `get`; nobody else changes it until the transaction ends."""
    return _present(await _find(connection, scope, subscriber_id, id, "FOR UPDATE OF m"), id)


async def mark(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filter: Filter,
    state: State,
    now: datetime,
    ids: Sequence[str] | None = None,
) -> int:
    """Bring those that pass, of these ids if they are given, into the state; how many were not in
    it."""
    question = Question(scope, subscriber_id)
    question.ask(filter)
    if ids is not None:
        question.where.append(f"m.id = ANY ({question.argument(list(ids))}::text[])")
    question.where.append(_differs(state))
    done = await connection.execute(
        f"UPDATE messages AS m SET {_set(state, question.argument(now))} "
        f"WHERE {question.conditions()}",
        *question.arguments,
    )
    return int(done.split()[-1])


async def set_snooze(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    id: str,
    until: datetime | None,
    now: datetime,
) -> None:
    await connection.execute(
        f"UPDATE messages AS m SET snoozed_until = $4, updated_at = $5 WHERE {OWN} AND m.id = $3",
        scope.environment_id,
        subscriber_id,
        id,
        until,
        now,
    )


async def set_cta(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    id: str,
    cta: Mapping[str, Any],
    now: datetime,
) -> None:
    await connection.execute(
        f"UPDATE messages AS m SET cta = $4, updated_at = $5 WHERE {OWN} AND m.id = $3",
        scope.environment_id,
        subscriber_id,
        id,
        json_of(cta),
        now,
    )


async def remove(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    filter: Filter,
    id: str | None = None,
) -> int:
    """Those that pass, or the one with this id, whether it is snoozed or not."""
    question = Question(scope, subscriber_id)
    if id is None:
        question.ask(filter)
    else:
        question.where.append(f"m.id = {question.argument(id)}")
    done = await connection.execute(
        f"DELETE FROM messages AS m WHERE {question.conditions()}", *question.arguments
    )
    return int(done.split()[-1])


async def end_snoozes(connection: Connection, now: datetime, limit: int) -> list[Redelivered]:
    """Deliver again, as new, what was snoozed until now; another process leaves these alone."""
    rows = await connection.fetch(
        "UPDATE messages AS m SET snoozed_until = NULL, seen = false, read = false, "
        "archived = false, last_seen_at = NULL, last_read_at = NULL, archived_at = NULL, "
        "delivered_at = m.delivered_at || $1::timestamptz, created_at = $1, updated_at = $1 "
        "FROM (SELECT id FROM messages WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2 "
        "FOR UPDATE SKIP LOCKED) AS due WHERE m.id = due.id "
        "RETURNING m.environment_id, m.subscriber_id, m.id",
        now,
        limit,
    )
    return [Redelivered(*row) for row in rows]


async def _find(
    connection: Connection, scope: Scope, subscriber_id: str, id: str, held: str
) -> InboxMessage | None:
    if "\0" in id:
        return None
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM messages AS m {_WITH_WORKFLOW} WHERE {OWN} AND m.id = $3 {held}",
        scope.environment_id,
        subscriber_id,
        id,
    )
    return None if row is None else _message(row)


_DATES = {"seen": "last_seen_at", "read": "last_read_at", "archived": "archived_at"}


def _wanted(state: State) -> dict[str, bool]:
    values = {name: getattr(state, name) for name in _DATES}
    return {name: value for name, value in values.items() if value is not None}


def _differs(state: State) -> str:
    parts = (f"m.{name} <> {str(wanted).lower()}" for name, wanted in _wanted(state).items())
    return f"({' OR '.join(parts)})"


def _set(state: State, now: str) -> str:
    """When something was first seen stays; the other dates come and go with what they date."""
    parts = [f"updated_at = {now}::timestamptz"]
    for name, wanted in _wanted(state).items():
        date = _DATES[name]
        kept = f"CASE WHEN m.{name} THEN coalesce(m.{date}, {now}) ELSE {now} END"
        parts += [f"{name} = {str(wanted).lower()}", f"{date} = {kept if wanted else 'NULL'}"]
    if state.seen:
        parts.append(f"first_seen_at = coalesce(m.first_seen_at, {now})")
    return ", ".join(parts)


def _decoded(stored: str | None) -> dict[str, Any] | None:
    return None if stored is None else msgspec.json.decode(stored)


def _message(row: Row) -> InboxMessage:
    content = msgspec.json.decode(row["content"])
    return InboxMessage(
        id=row["id"],
        notification_id=row["notification_id"],
        job_id=row["job_id"],
        step_id=row["step_id"],
        workflow_id=row["workflow_id"],
        transaction_id=row["transaction_id"],
        body=content if isinstance(content, str) else "",
        subject=row["subject"],
        avatar=row["avatar"],
        cta=msgspec.json.decode(row["cta"]),
        data=None if row["data"] is None else msgspec.json.decode(row["data"]),
        tags=row["tags"],
        severity=row["severity"],
        context_keys=row["context_keys"],
        provider_id=row["provider_id"],
        seen=row["seen"],
        read=row["read"],
        archived=row["archived"],
        first_seen_at=row["first_seen_at"],
        last_seen_at=row["last_seen_at"],
        last_read_at=row["last_read_at"],
        archived_at=row["archived_at"],
        snoozed_until=row["snoozed_until"],
        delivered_at=row["delivered_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        workflow=_workflow(row),
    )


def _workflow(row: Row) -> Workflow | None:
    if row["workflow_key"] is None:
        return None
    layers = msgspec.json.decode(row["workflow_preferences"], type=Preferences)
    return Workflow(
        id=row["workflow_id"],
        key=row["workflow_key"],
        name=row["workflow_name"],
        critical=layers.critical,
        tags=row["workflow_tags"],
        severity=row["workflow_severity"],
    )


def _reader(row: Row) -> Reader:
    data = row["reader_data"]
    return Reader(
        id=row["reader_id"],
        key=row["reader_key"],
        first_name=row["first_name"],
        last_name=row["last_name"],
        email=row["email"],
        phone=row["phone"],
        avatar=row["reader_avatar"],
        locale=row["locale"],
        timezone=row["timezone"],
        data=None if data is None else msgspec.Raw(data.encode()),
    )


def _present(found: InboxMessage | None, id: str) -> InboxMessage:
    if found is None:
        raise NotFoundError(f"There is no notification {id!r}.", notificationId=id)
    return found
