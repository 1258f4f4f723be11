"""Accepted triggers, written in sets."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tidings.domain.events import Event
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, json_of, json_unless_none


async def add_many(connection: Connection, events: Sequence[tuple[Scope, Event]]) -> int:
    """Write them in one statement; how many are new. One whose transaction id is taken in its
    environment is left out. Waits for others who are writing the same transaction id."""
    ordered = sorted(events, key=lambda each: (each[0].environment_id, each[1].transaction_id))
    done = await connection.execute(
        "INSERT INTO events (id, organization_id, environment_id, transaction_id, workflow_id, "
        "workflow_version, recipients, payload, overrides, actor, tenant, context, created_at, "
        "status) SELECT *, 'accepted' FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], "
        "$5::text[], $6::int[], $7::jsonb[], $8::jsonb[], $9::jsonb[], $10::jsonb[], "
        "$11::jsonb[], $12::jsonb[], $13::timestamptz[]) "
        "ON CONFLICT (environment_id, transaction_id) DO NOTHING",
        *map(list, zip(*map(_values, ordered), strict=True)),
    )
    return int(done.split()[-1])


async def exists(connection: Connection, scope: Scope, transaction_id: str) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM events WHERE environment_id = $1 AND transaction_id = $2)",
        scope.environment_id,
        transaction_id,
    )
    return found


async def note_triggered(connection: Connection, times: Mapping[str, datetime]) -> None:
    """When workflows were last triggered. Locks them in order, for a moment."""
    await connection.execute(
        "WITH later AS (SELECT w.id, given.at FROM workflows AS w "
        "JOIN unnest($1::text[], $2::timestamptz[]) AS given (id, at) ON given.id = w.id "
        "AND (w.last_triggered_at IS NULL OR w.last_triggered_at < given.at) "
        "ORDER BY w.id FOR NO KEY UPDATE OF w) "
        "UPDATE workflows AS w SET last_triggered_at = later.at FROM later WHERE w.id = later.id",
        list(times),
        list(times.values()),
    )


def _values(given: tuple[Scope, Event]) -> tuple[Any, ...]:
    scope, event = given
    return (
        event.id,
        scope.organization_id,
        scope.environment_id,
        event.transaction_id,
        event.workflow_id,
        event.workflow_version,
        json_of(event.recipients),
        json_of(event.payload),
        json_of(event.overrides),
        json_unless_none(event.actor),
        json_unless_none(event.tenant),
        json_of(event.context),
        event.created_at,
    )
