"""Reading notifications with their jobs, in two questions a page."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache

import msgspec

from tidings.domain.activities import Activity, Cause, Person
from tidings.domain.channels import CHANNELS
from tidings.domain.errors import NotFoundError
from tidings.domain.notifications import Detail, Job, Notification
from tidings.domain.scope import Scope
from tidings.domain.workflows import Definition
from tidings.storage.database import Connection, Row, json_of, raw
from tidings.storage.newest import Question
from tidings.storage.runs import DETAILS

_COLUMNS = (
    "r.id, r.event_id, r.transaction_id, r.workflow_id, r.workflow_version, r.subscriber_id, "
    "r.recipient, r.channels, r.tags, r.topics, r.severity, r.critical, r.context_keys, "
    "r.digested_into, r.created_at, r.updated_at, e.payload, e.overrides, s.key, s.first_name, "
    "s.last_name, s.email, s.phone, w.key AS workflow_key, w.name AS workflow_name, w.origin, "
    "CASE WHEN row_number() OVER (PARTITION BY r.workflow_id, r.workflow_version) = 1 "
    "THEN v.document END AS document"
)
"""The definition stands in one of the rows that share it."""
_JOB = (
    "id, notification_id, position, step_id, type, status, provider_id, due_at, attempts, digest, "
    "details, updated_at"
)
"""What people see of a job; not what the engine keeps for itself."""
_JOINS = (
    "LEFT JOIN events AS e ON e.id = r.event_id "
    "LEFT JOIN subscribers AS s ON s.id = r.subscriber_id "
    "LEFT JOIN workflows AS w ON w.id = r.workflow_id "
    "LEFT JOIN workflow_versions AS v ON v.workflow_id = r.workflow_id "
    "AND v.version = r.workflow_version AND v.environment_id = r.environment_id"
)


_DEFINITION = msgspec.json.Decoder(Definition)
_DEFINITIONS_KEPT = 256
_PROOFS_KEPT = 2000


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """None, or nothing said, lets everything pass."""

    channels: Sequence[str] | None = None
    workflow_ids: Sequence[str] | None = None
    subscriber_ids: Sequence[str] | None = None
    severities: Sequence[str] | None = None
    transaction_ids: Sequence[str] | None = None
    topic_key: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    newer_than: str | None = None
    """An id: only what was made after it."""


async def page(
    connection: Connection, scope: Scope, filter: Filter, offset: int, limit: int
) -> tuple[list[Activity], bool]:
    """One page, newest first, and whether another follows."""
    question = asked(scope, filter)
    ids = question.page(offset, limit)
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM ({ids}) AS found JOIN notifications AS r ON r.id = found.id "
        f"{_JOINS} ORDER BY r.id DESC",
        *question.arguments,
    )
    return await _complete(connection, rows, limit), len(rows) > limit


async def get(connection: Connection, scope: Scope, id: str) -> Activity:
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM notifications AS r {_JOINS} "
        "WHERE r.environment_id = $1 AND r.id = $2",
        scope.environment_id,
        id,
    )
    if not rows:
        raise NotFoundError(f"There is no notification {id!r}.", notificationId=id)
    return (await _complete(connection, rows, 1))[0]


async def changed(
    connection: Connection, scope: Scope, ids: Sequence[str], since: datetime
) -> list[Activity]:
    """Those that changed after that moment, newest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM notifications AS r {_JOINS} WHERE r.environment_id = $1 "
        "AND r.id = ANY ($2) AND (r.updated_at > $3 OR EXISTS (SELECT FROM jobs AS j "
        "WHERE j.notification_id = r.id AND j.updated_at > $3)) ORDER BY r.id DESC",
        scope.environment_id,
        ids,
        since,
    )
    return await _complete(connection, rows, len(rows))


async def subscribers_matching(
    connection: Connection,
    scope: Scope,
    keys: Sequence[str],
    emails: Sequence[str],
    search: str | None,
) -> list[str]:
    """The ids of subscribers with one of these keys and one of these addresses, and whose key,
    address, phone or full name is what is searched for."""
    wanted: set[str] | None = None
    for columns, values in (
        (("key",), keys),
        (("email",), emails),
        (("key", "email", "phone", "full_name"), [search] if search else []),
    ):
        if values:
            found = await _with(connection, scope, columns, values)
            wanted = found if wanted is None else wanted & found
    return sorted(wanted or ())


def asked(scope: Scope, filter: Filter) -> Question:
    question = Question("notifications", scope.environment_id)
    question.any_of("transaction_id", filter.transaction_ids)
    question.any_of("subscriber_id", filter.subscriber_ids)
    question.any_of("workflow_id", filter.workflow_ids)
    if filter.channels is not None:
        known = [channel for channel in CHANNELS if channel in filter.channels]
        question.either([f"'{channel}' = ANY (r.channels)" for channel in known] or ["false"])
    if filter.severities is not None:
        rare = "none" not in filter.severities
        question.any_of("severity", filter.severities, indexed=rare)
        if rare:
            question.where("r.severity <> 'none'")
    if filter.topic_key is not None:
        wanted = json_of([{"topicKey": filter.topic_key}])
        question.where(f"r.topics @> {question.argument(wanted, 'jsonb')} AND r.topics <> '[]'")
    question.between(filter.after, filter.before)
    if filter.newer_than is not None:
        question.where(f"r.id > {question.argument(filter.newer_than)}")
    return question


async def _with(
    connection: Connection, scope: Scope, columns: Iterable[str], values: Sequence[str]
) -> set[str]:
    """Subscribers that have one of the values in one of the columns."""
    parts = (
        f"SELECT id FROM subscribers WHERE environment_id = $1 AND {column} = ANY ($2)"
        + (f" AND {column} <> ''" if column == "full_name" else "")
        for column in columns
    )
    rows = await connection.fetch(" UNION ".join(parts), scope.environment_id, values)
    return {row["id"] for row in rows}


async def _complete(connection: Connection, rows: Sequence[Row], limit: int) -> list[Activity]:
    if not rows:
        return []
    definitions = {
        (row["workflow_id"], row["workflow_version"]): _defined(row["document"])
        for row in rows
        if row["document"] is not None
    }
    shown = rows[:limit]
    job_rows = await connection.fetch(
        f"SELECT {_JOB} FROM jobs WHERE notification_id = ANY ($1) "
        "AND type <> 'trigger' ORDER BY notification_id, position",
        [row["id"] for row in shown],
    )
    jobs: dict[str, list[Job]] = {}
    for row in job_rows:
        job = _job(row)
        jobs.setdefault(job.notification_id, []).append(job)
    return [
        _activity(
            row,
            tuple(jobs.get(row["id"], ())),
            definitions.get((row["workflow_id"], row["workflow_version"])),
        )
        for row in shown
    ]


@lru_cache(_DEFINITIONS_KEPT)
def _defined(document: str) -> Definition:
    """Versions never change, and most pages show the same few."""
    return _DEFINITION.decode(document)


@lru_cache(_PROOFS_KEPT)
def _proof(details: str) -> tuple[Detail, ...]:
    """The newest are read again and again; one text is always the same object."""
    return DETAILS.decode(details)


def _job(row: Row) -> Job:
    """Taken apart at once, which takes half the time of looking up each column by its name."""
    id, notification_id, position, step_id, type, status, provider_id, *rest = row
    due_at, attempts, digest, details, updated_at = rest
    return Job(
        id=id,
        notification_id=notification_id,
        position=position,
        step_id=step_id,
        type=type,
        status=status,
        provider_id=provider_id,
        due_at=due_at,
        attempts=attempts,
        digest=None if digest is None else msgspec.json.decode(digest),
        details=_proof(details),
        updated_at=updated_at,
    )


def _activity(row: Row, jobs: tuple[Job, ...], definition: Definition | None) -> Activity:
    (id, event_id, transaction_id, workflow_id, version, subscriber_id, recipient, *rest) = row
    (channels, tags, topics, severity, critical, context_keys, digested_into, *rest) = rest
    (created_at, updated_at, payload, overrides, key, first_name, last_name, *rest) = rest
    (email, phone, workflow_key, workflow_name, origin, _) = rest
    person = (
        None
        if key is None
        else Person(
            id=subscriber_id,
            key=key,
            first_name=first_name,
            last_name=last_name,
            email=email,
            phone=phone,
        )
    )
    cause = (
        None
        if workflow_key is None
        else Cause(id=workflow_id, key=workflow_key, name=workflow_name, origin=origin)
    )
    return Activity(
        notification=Notification(
            id=id,
            event_id=event_id,
            transaction_id=transaction_id,
            workflow_id=workflow_id,
            workflow_version=version,
            subscriber_id=subscriber_id,
            recipient=msgspec.json.decode(recipient),
            channels=tuple(channels),
            tags=tuple(tags),
            topics=tuple(msgspec.json.decode(topics)),
            severity=severity,
            critical=critical,
            context_keys=tuple(context_keys),
            created_at=created_at,
        ),
        updated_at=max([updated_at, *(job.updated_at for job in jobs)]),
        digested_into=digested_into,
        subscriber=person,
        workflow=cause,
        payload=raw(payload),
        overrides=raw(overrides),
        jobs=jobs,
        definition=definition,
    )
