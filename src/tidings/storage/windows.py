"""Windows of digest and throttle steps: unique rows, joined or opened in one statement."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

import msgspec

from tidings.storage.database import Connection


class Group(msgspec.Struct, frozen=True):
    """What belongs together: one step of a workflow, one subscriber, one value of its key."""

    subscriber_id: str
    workflow_id: str
    step_id: str
    value: str


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    group: Group
    environment_id: str
    job_id: str
    due_at: datetime
    events: int
    """How many events join at once: the one that would open the window, and its followers."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """One event that a digest took along."""

    id: str
    time: datetime
    payload: dict[str, object]


async def join(
    connection: Connection, openings: Sequence[Opening], now: datetime
) -> dict[Group, str]:
    """Join the open window of each group, or open one; the job that carries it, per group.

    The groups differ from one another and are in order, so that workers lock in the same order.
    """
    rows = await connection.fetch(
        "INSERT INTO digests AS d (job_id, environment_id, workflow_id, step_id, subscriber_id, "
        "value, due_at, event_count, opened_at) SELECT *, $9 FROM unnest($1::text[], $2::text[], "
        "$3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[]) "
        "ON CONFLICT (subscriber_id, workflow_id, step_id, md5(value)) WHERE open "
        "DO UPDATE SET event_count = d.event_count + excluded.event_count "
        "RETURNING d.job_id, d.subscriber_id, d.workflow_id, d.step_id, d.value",
        *_columns(openings),
        [each.due_at for each in openings],
        [each.events for each in openings],
        now,
    )
    return {
        Group(row["subscriber_id"], row["workflow_id"], row["step_id"], row["value"]): row["job_id"]
        for row in rows
    }


async def seen_since(
    connection: Connection, openings: Sequence[Opening], since: Sequence[datetime], now: datetime
) -> set[Group]:
    """The groups of look-back digests in which another event came since then; notes that one came
    now. The groups differ from one another and are in order."""
    rows = await connection.fetch(
        "WITH before AS (SELECT g.place, p.passed_at FROM unnest($1::text[], $2::text[], "
        "$3::text[], $4::text[]) WITH ORDINALITY AS g (subscriber_id, workflow_id, step_id, "
        "value_md5, place) JOIN digest_passes AS p USING (subscriber_id, workflow_id, step_id, "
        "value_md5) FOR UPDATE OF p), noted AS (INSERT INTO digest_passes (subscriber_id, "
        "workflow_id, step_id, value_md5, environment_id, passed_at) SELECT *, $6 FROM unnest("
        "$1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) ON CONFLICT (subscriber_id, "
        "workflow_id, step_id, value_md5) DO UPDATE SET passed_at = excluded.passed_at) "
        "SELECT place, passed_at FROM before",
        [each.group.subscriber_id for each in openings],
        [each.group.workflow_id for each in openings],
        [each.group.step_id for each in openings],
        [md5(each.group.value) for each in openings],
        [each.environment_id for each in openings],
        now,
    )
    return {
        openings[row["place"] - 1].group
        for row in rows
        if row["passed_at"] >= since[row["place"] - 1]
    }


async def close(connection: Connection, job_ids: Sequence[str]) -> set[str]:
    """Close windows; those that were open. Late events open new ones."""
    rows = await connection.fetch(
        "UPDATE digests SET open = false WHERE job_id = ANY ($1) AND open RETURNING job_id", job_ids
    )
    return {row["job_id"] for row in rows}


async def move(connection: Connection, due: dict[str, datetime]) -> None:
    """Give open windows another end."""
    await connection.execute(
        "UPDATE digests AS d SET due_at = n.due FROM unnest($1::text[], $2::timestamptz[]) "
        "AS n (id, due) WHERE d.job_id = n.id",
        list(due),
        list(due.values()),
    )


async def gathered(
    connection: Connection, job_ids: Sequence[str], limit: int
) -> dict[str, list[Gathered]]:
    """The events of digests, oldest first: the one that opened it and those merged into it."""
    rows = await connection.fetch(
        "SELECT d.id AS digest, e.id, e.time, e.payload FROM unnest($1::text[]) AS d (id), "
        "LATERAL (SELECT j.id, n.created_at AS time, v.payload FROM jobs AS j "
        "JOIN notifications AS n ON n.id = j.notification_id JOIN events AS v ON v.id = n.event_id "
        "WHERE (j.merged_into = d.id OR j.id = d.id) AND j.type = 'digest' "
        "ORDER BY n.id LIMIT $2) AS e",
        job_ids,
        limit,
    )
    found: dict[str, list[Gathered]] = {}
    for row in rows:
        event = Gathered(
            id=row["id"], time=row["time"], payload=msgspec.json.decode(row["payload"])
        )
        found.setdefault(row["digest"], []).append(event)
    return found


async def counts(connection: Connection, job_ids: Sequence[str]) -> dict[str, int]:
    """How many events each digest gathered."""
    rows = await connection.fetch(
        "SELECT job_id, event_count FROM digests WHERE job_id = ANY ($1)", job_ids
    )
    return {row["job_id"]: row["event_count"] for row in rows}


class Taking(msgspec.Struct, frozen=True, kw_only=True):
    group: Group
    environment_id: str
    runs: int
    ends_at: datetime


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    before: int
    """How many runs the window counted before these."""
    started_at: datetime
    ends_at: datetime


async def take(
    connection: Connection, takings: Sequence[Taking], now: datetime
) -> dict[Group, Taken]:
    """Count runs in the present window of each group, or open one that ends as asked.

    The groups differ from one another and are in order, so that workers lock in the same order.
    """
    rows = await connection.fetch(
        "INSERT INTO throttles AS t (subscriber_id, workflow_id, step_id, value_md5, "
        "environment_id, count, ends_at, started_at) SELECT *, $8 FROM unnest($1::text[], "
        "$2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::timestamptz[]) "
        "ON CONFLICT (subscriber_id, workflow_id, step_id, value_md5) DO UPDATE SET "
        "count = CASE WHEN t.ends_at <= $8 THEN excluded.count ELSE t.count + excluded.count END, "
        "started_at = CASE WHEN t.ends_at <= $8 THEN $8 ELSE t.started_at END, "
        "ends_at = CASE WHEN t.ends_at <= $8 THEN excluded.ends_at ELSE t.ends_at END "
        "RETURNING subscriber_id, workflow_id, step_id, value_md5, count, started_at, ends_at",
        [each.group.subscriber_id for each in takings],
        [each.group.workflow_id for each in takings],
        [each.group.step_id for each in takings],
        [md5(each.group.value) for each in takings],
        [each.environment_id for each in takings],
        [each.runs for each in takings],
        [each.ends_at for each in takings],
        now,
    )
    by_key = {
        (row["subscriber_id"], row["workflow_id"], row["step_id"], row["value_md5"]): row
        for row in rows
    }
    taken = {}
    for each in takings:
        group = each.group
        row = by_key[(group.subscriber_id, group.workflow_id, group.step_id, md5(group.value))]
        taken[group] = Taken(
            before=row["count"] - each.runs, started_at=row["started_at"], ends_at=row["ends_at"]
        )
    return taken


def md5(value: str) -> str:
    return hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()


def _columns(openings: Sequence[Opening]) -> list[list[str]]:
    return [
        [each.job_id for each in openings],
        [each.environment_id for each in openings],
        [each.group.workflow_id for each in openings],
        [each.group.step_id for each in openings],
        [each.group.subscriber_id for each in openings],
        [each.group.value for each in openings],
    ]
