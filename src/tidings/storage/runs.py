"""The engine's writes, in sets: claiming work, loading runs, and saving what became of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain.events import Event, Recipients
from tidings.domain.notifications import Detail, Job, Notification
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, Row, json_of, json_unless_none

_EVENT = (
    "id, organization_id, environment_id, transaction_id, workflow_id, workflow_version, "
    "recipients, payload, overrides, actor, tenant, context, created_at, canceled_at"
)
_NOTIFICATION = (
    "id",
    "organization_id",
    "environment_id",
    "event_id",
    "transaction_id",
    "workflow_id",
    "workflow_version",
    "subscriber_id",
    "recipient",
    "channels",
    "tags",
    "topics",
    "severity",
    "critical",
    "context_keys",
    "created_at",
    "updated_at",
)
JOB = (
    "id",
    "environment_id",
    "notification_id",
    "position",
    "step_id",
    "type",
    "status",
    "provider_id",
    "due_at",
    "worker_id",
    "attempts",
    "reached_at",
    "digest",
    "output",
    "state",
    "merged_into",
    "details",
    "updated_at",
)
_RECIPIENTS = msgspec.json.Decoder(Recipients)
DETAILS = msgspec.json.Decoder(tuple[Detail, ...])


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """An event, or a range of a large one, that is to be fanned out."""

    event: Event
    scope: Scope
    part_id: str | None = None
    lower: str = ""
    upper: str = ""
    cursor: str | None = None
    """How far a large event has been split; None before its named recipients were served."""


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A notification as it is stored, with its jobs and its event."""

    scope: Scope
    event: Event
    notification: Notification
    jobs: tuple[Job, ...]


async def take_events(connection: Connection, limit: int) -> list[Taken]:
    """Accepted events, oldest first, locked until the transaction ends; skips what others have."""
    rows = await connection.fetch(
        f"SELECT {_EVENT}, cursor FROM events WHERE status = 'accepted' ORDER BY id LIMIT $1 "
        "FOR UPDATE SKIP LOCKED",
        limit,
    )
    return [_taken(row, cursor=row["cursor"]) for row in rows]


async def take_part(connection: Connection) -> Taken | None:
    """One range of a large event, locked until the transaction ends; skips what others have."""
    columns = ", ".join(f"e.{name.strip()}" for name in _EVENT.split(","))
    row = await connection.fetchrow(
        f"SELECT {columns}, p.id AS part_id, p.lower, p.upper FROM event_parts AS p "
        "JOIN events AS e ON e.id = p.event_id ORDER BY p.id LIMIT 1 FOR UPDATE OF p SKIP LOCKED"
    )
    if row is None:
        return None
    return _taken(row, part_id=row["part_id"], lower=row["lower"], upper=row["upper"])


_FIRST = (
    "NOT EXISTS (SELECT FROM jobs AS o WHERE o.notification_id = j.notification_id "
    "AND o.position < j.position AND o.status IN ('running', 'delayed'))"
)
"""Whoever claims a job has the whole run in hand, so it must be the first that can be claimed."""


async def take_over(connection: Connection, worker_id: str, alive: Sequence[str]) -> list[str]:
    """Take over the jobs that workers were running who are gone; the notifications they belong
    to."""
    rows = await connection.fetch(
        "UPDATE jobs SET worker_id = $1 WHERE id IN (SELECT id FROM jobs AS j "
        f"WHERE status = 'running' AND worker_id <> ALL ($2) AND {_FIRST} LIMIT 500 "
        "FOR UPDATE SKIP LOCKED) RETURNING notification_id",
        worker_id,
        alive,
    )
    return sorted({row["notification_id"] for row in rows})


async def let_go(connection: Connection, worker_id: str, notification_ids: Sequence[str]) -> None:
    """Leave the jobs that this worker is running to whoever takes over next."""
    await connection.execute(
        "UPDATE jobs SET worker_id = '' WHERE status = 'running' AND worker_id = $1 "
        "AND notification_id = ANY ($2)",
        worker_id,
        notification_ids,
    )


async def claim_due(connection: Connection, worker_id: str, now: datetime, limit: int) -> list[str]:
    """Take the jobs whose timer has run out; the notifications they belong to."""
    rows = await connection.fetch(
        "UPDATE jobs SET status = 'running', worker_id = $1 WHERE id IN "
        f"(SELECT id FROM jobs AS j WHERE status = 'delayed' AND due_at <= $2 AND {_FIRST} "
        "ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING notification_id",
        worker_id,
        now,
        limit,
    )
    return sorted({row["notification_id"] for row in rows})


async def next_due(connection: Connection) -> datetime | None:
    moment: datetime | None = await connection.fetchval(
        "SELECT due_at FROM jobs WHERE status = 'delayed' ORDER BY due_at LIMIT 1"
    )
    return moment


async def waiting(connection: Connection) -> int:
    """How many events and ranges wait to be fanned out, up to a thousand."""
    count: int = await connection.fetchval(
        "SELECT (SELECT count(*) FROM (SELECT FROM events WHERE status = 'accepted' LIMIT 1000)) "
        "+ (SELECT count(*) FROM (SELECT FROM event_parts LIMIT 1000))"
    )
    return count


async def lock_live(connection: Connection, event_ids: Iterable[str]) -> set[str]:
    """Those of the events that are not canceled; a cancel waits until the transaction ends."""
    rows = await connection.fetch(
        "SELECT id FROM events WHERE id = ANY ($1) AND canceled_at IS NULL ORDER BY id FOR SHARE",
        sorted(set(event_ids)),
    )
    return {row["id"] for row in rows}


async def finish_events(
    connection: Connection, ids: Sequence[str], status: Literal["done", "failed"] = "done"
) -> None:
    await connection.execute("UPDATE events SET status = $2 WHERE id = ANY ($1)", ids, status)


async def finish_part(connection: Connection, id: str) -> None:
    await connection.execute("DELETE FROM event_parts WHERE id = $1", id)


async def add_parts(
    connection: Connection, event_id: str, parts: Sequence[tuple[str, str, str]], cursor: str
) -> None:
    """Leave ranges (id, lower, upper] for any worker, and remember how far the split has come."""
    await connection.executemany(
        "INSERT INTO event_parts (id, event_id, lower, upper) VALUES ($1, $2, $3, $4)",
        [(id, event_id, lower, upper) for id, lower, upper in parts],
    )
    await connection.execute("UPDATE events SET cursor = $2 WHERE id = $1", event_id, cursor)


async def load(connection: Connection, notification_ids: Sequence[str]) -> list[Saved]:
    rows = await connection.fetch(
        f"SELECT {', '.join(_NOTIFICATION)} FROM notifications WHERE id = ANY ($1) ORDER BY id",
        notification_ids,
    )
    job_rows = await connection.fetch(
        f"SELECT {', '.join(JOB)} FROM jobs WHERE notification_id = ANY ($1) "
        "ORDER BY notification_id, position",
        notification_ids,
    )
    event_rows = await connection.fetch(
        f"SELECT {_EVENT} FROM events WHERE id = ANY ($1)",
        sorted({row["event_id"] for row in rows}),
    )
    events = {row["id"]: event_of(row) for row in event_rows}
    jobs: dict[str, list[Job]] = {}
    for row in job_rows:
        jobs.setdefault(row["notification_id"], []).append(job_of(row))
    return [
        Saved(
            scope=Scope(row["organization_id"], row["environment_id"]),
            event=events[row["event_id"]],
            notification=notification_of(row),
            jobs=tuple(jobs.get(row["id"], ())),
        )
        for row in rows
        if row["event_id"] in events
    ]


async def add_notifications(
    connection: Connection, found: Sequence[tuple[Scope, Notification]], now: datetime
) -> None:
    await connection.copy_records_to_table(
        "notifications",
        columns=_NOTIFICATION,
        records=[
            (
                each.id,
                scope.organization_id,
                scope.environment_id,
                each.event_id,
                each.transaction_id,
                each.workflow_id,
                each.workflow_version,
                each.subscriber_id,
                json_of(each.recipient),
                each.channels,
                each.tags,
                json_of(each.topics),
                each.severity,
                each.critical,
                each.context_keys,
                each.created_at,
                now,
            )
            for scope, each in found
        ],
    )


async def add_jobs(
    connection: Connection, jobs: Sequence[tuple[Scope, Job]], worker_id: str
) -> None:
    await connection.copy_records_to_table(
        "jobs", columns=JOB, records=[_job_values(scope, job, worker_id) for scope, job in jobs]
    )


_REPORT = '[{"source": "Webhook"}]'
_WITH_REPORTS = (
    f"CASE WHEN jobs.details @> '{_REPORT}' THEN (SELECT jsonb_agg(line ORDER BY "
    "(line ->> 'at')::timestamptz, place) FROM jsonb_array_elements(n.details || (SELECT "
    "coalesce(jsonb_agg(d), '[]') FROM jsonb_array_elements(jobs.details) AS d "
    "WHERE d ->> 'source' = 'Webhook' AND NOT n.details @> "
    "jsonb_build_array(jsonb_build_object('id', d -> 'id')))) WITH ORDINALITY AS x (line, place)) "
    "ELSE n.details END"
)


async def change_jobs(connection: Connection, jobs: Sequence[Job], worker_id: str) -> None:
    """Write jobs over what is stored, unless that is final. What vendors reported while a job was
    in hand stays."""
    await connection.execute(
        "UPDATE jobs SET status = n.status, provider_id = n.provider_id, due_at = n.due_at, "
        "worker_id = n.worker_id, attempts = n.attempts, reached_at = n.reached_at, "
        "digest = n.digest, output = n.output, state = n.state, merged_into = n.merged_into, "
        f"details = {_WITH_REPORTS}, updated_at = n.updated_at FROM unnest($1::text[], $2::text[], "
        "$3::text[], $4::timestamptz[], $5::text[], $6::int[], $7::timestamptz[], $8::jsonb[], "
        "$9::jsonb[], $10::jsonb[], $11::text[], $12::jsonb[], $13::timestamptz[]) AS n (id, "
        "status, provider_id, due_at, worker_id, attempts, reached_at, digest, output, state, "
        "merged_into, details, updated_at) WHERE jobs.id = n.id "
        "AND jobs.status IN ('pending', 'queued', 'running', 'delayed')",
        [job.id for job in jobs],
        [job.status for job in jobs],
        [job.provider_id for job in jobs],
        [job.due_at for job in jobs],
        [worker_id if job.status == "running" else None for job in jobs],
        [job.attempts for job in jobs],
        [job.reached_at for job in jobs],
        [json_unless_none(job.digest) for job in jobs],
        [json_unless_none(job.output) for job in jobs],
        [json_unless_none(job.state) for job in jobs],
        [job.merged_into for job in jobs],
        [json_of(job.details) for job in jobs],
        [job.updated_at for job in jobs],
    )


async def details_of(
    connection: Connection, job_ids: Sequence[str]
) -> dict[str, tuple[Detail, ...]]:
    rows = await connection.fetch("SELECT id, details FROM jobs WHERE id = ANY ($1)", job_ids)
    return {row["id"]: DETAILS.decode(row["details"]) for row in rows}


async def add_details(
    connection: Connection, added: Mapping[str, Sequence[Detail]], now: datetime
) -> None:
    """More proof for jobs, whether they are over or not."""
    await connection.execute(
        "UPDATE jobs AS j SET details = j.details || n.details, updated_at = $3 "
        "FROM unnest($1::text[], $2::jsonb[]) AS n (id, details) WHERE j.id = n.id",
        list(added),
        [json_of(list(details)) for details in added.values()],
        now,
    )


async def notifications_of(connection: Connection, job_ids: Sequence[str]) -> dict[str, str]:
    """The notification that each job belongs to."""
    if not job_ids:
        return {}
    rows = await connection.fetch(
        "SELECT id, notification_id FROM jobs WHERE id = ANY ($1)", job_ids
    )
    return {row["id"]: row["notification_id"] for row in rows}


async def digest_into(connection: Connection, merged: Mapping[str, str], now: datetime) -> None:
    """Note into which notification others were digested."""
    await connection.execute(
        "UPDATE notifications AS n SET digested_into = m.master, updated_at = $3 "
        "FROM unnest($1::text[], $2::text[]) AS m (id, master) WHERE n.id = m.id",
        list(merged),
        list(merged.values()),
        now,
    )


def _job_values(scope: Scope, job: Job, worker_id: str) -> tuple[Any, ...]:
    return (
        job.id,
        scope.environment_id,
        job.notification_id,
        job.position,
        job.step_id,
        job.type,
        job.status,
        job.provider_id,
        job.due_at,
        worker_id if job.status == "running" else None,
        job.attempts,
        job.reached_at,
        json_unless_none(job.digest),
        json_unless_none(job.output),
        json_unless_none(job.state),
        job.merged_into,
        json_of(job.details),
        job.updated_at,
    )


def _taken(row: Row, **more: Any) -> Taken:
    scope = Scope(row["organization_id"], row["environment_id"])
    return Taken(event=event_of(row), scope=scope, **more)


def event_of(row: Row) -> Event:
    return Event(
        id=row["id"],
        transaction_id=row["transaction_id"],
        workflow_id=row["workflow_id"],
        workflow_version=row["workflow_version"],
        recipients=_RECIPIENTS.decode(row["recipients"]),
        payload=msgspec.json.decode(row["payload"]),
        overrides=msgspec.json.decode(row["overrides"]),
        actor=_decoded(row["actor"]),
        tenant=_decoded(row["tenant"]),
        context=msgspec.json.decode(row["context"]),
        created_at=row["created_at"],
    )


def notification_of(row: Row) -> Notification:
    return Notification(
        id=row["id"],
        event_id=row["event_id"],
        transaction_id=row["transaction_id"],
        workflow_id=row["workflow_id"],
        workflow_version=row["workflow_version"],
        subscriber_id=row["subscriber_id"],
        recipient=msgspec.json.decode(row["recipient"]),
        channels=tuple(row["channels"]),
        tags=tuple(row["tags"]),
        topics=tuple(msgspec.json.decode(row["topics"])),
        severity=row["severity"],
        critical=row["critical"],
        context_keys=tuple(row["context_keys"]),
        created_at=row["created_at"],
    )


def job_of(row: Row) -> Job:
    """A row of the columns `JOB`. Taken apart at once, which takes half the time of looking up each
    column by its name."""
    id, _, notification_id, position, step_id, type, status, provider_id, *rest = row
    due_at, _, attempts, reached_at, digest, output, state, merged_into, details, updated_at = rest
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
        reached_at=reached_at,
        digest=_decoded(digest),
        output=_decoded(output),
        state=_decoded(state),
        merged_into=merged_into,
        details=DETAILS.decode(details),
        updated_at=updated_at,
    )


def _decoded(value: str | None) -> Any:
    return None if value is None else msgspec.json.decode(value)
