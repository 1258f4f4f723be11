"""Workflows: one row holds a workflow with its steps."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain import slugs
from tidings.domain.errors import NotFoundError
from tidings.domain.scope import Scope
from tidings.domain.workflows import Preferences, Status, Step, StepSummary, Summary, Workflow
from tidings.storage import changes
from tidings.storage.database import Connection, Row, json_of, json_unless_none

CHANGED = "workflows"

OrderBy = Literal["createdAt", "updatedAt", "name", "lastTriggeredAt"]

COLUMNS = (
    "id, organization_id, environment_id, key, name, description, tags, active, origin, severity, "
    "validate_payload, payload_schema, is_translation_enabled, preferences, steps, status, "
    "version, created_at, updated_at, last_published_at, last_triggered_at"
)
_SUMMARY = (
    "id, key, name, tags, origin, status, is_translation_enabled, created_at, updated_at, "
    "last_published_at, last_triggered_at"
)
_STEP_SUMMARIES = (
    "(SELECT coalesce(jsonb_agg(jsonb_build_object('id', step -> 'id', 'name', step -> 'name', "
    "'type', step -> 'type', 'issues', coalesce(step -> 'issues', '{}')) ORDER BY place), '[]') "
    "FROM jsonb_array_elements(steps) WITH ORDINALITY AS each (step, place)) AS steps"
)
_ORDERS: dict[OrderBy, str] = {
    "createdAt": "created_at",
    "updatedAt": "updated_at",
    "name": "lower(name)",
    "lastTriggeredAt": "last_triggered_at",
}


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    query: str | None = None
    tags: list[str] = []
    statuses: list[Status] = []


class Window(msgspec.Struct, frozen=True, kw_only=True):
    order_by: OrderBy = "createdAt"
    descending: bool = True
    offset: int = 0
    limit: int = 50


async def page(
    connection: Connection, scope: Scope, filter: Filter, window: Window
) -> tuple[list[Summary], int]:
    """One page, and how many match in all, in one question."""
    direction = "DESC NULLS LAST" if window.descending else "ASC NULLS FIRST"
    tie = "DESC" if window.descending else "ASC"
    order = f"{_ORDERS[window.order_by]} {direction}, id {tie}"
    rows = await connection.fetch(
        "WITH matching AS (SELECT * FROM workflows WHERE environment_id = $1 "
        "AND ($2::text IS NULL OR strpos(lower(name), lower($2)) > 0 "
        "OR strpos(lower(key), lower($2)) > 0) "
        "AND (cardinality($3::text[]) = 0 OR tags && $3) "
        "AND (cardinality($4::text[]) = 0 OR status = ANY ($4))), "
        f"shown AS (SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM matching "
        f"ORDER BY {order} LIMIT $5 OFFSET $6) "
        f"SELECT total.count, {_SUMMARY}, {_STEP_SUMMARIES} "
        "FROM (SELECT count(*) FROM matching) AS total LEFT JOIN shown ON true ORDER BY place",
        scope.environment_id,
        filter.query or None,
        filter.tags,
        filter.statuses,
        window.limit,
        window.offset,
    )
    return [_summary(row) for row in rows if row["id"] is not None], rows[0]["count"]


async def all_of(connection: Connection, scope: Scope) -> list[Workflow]:
    """Every workflow of the environment, oldest first."""
    rows = await connection.fetch(
        f"SELECT {COLUMNS} FROM workflows WHERE environment_id = $1 ORDER BY id",
        scope.environment_id,
    )
    return [workflow_of(row) for row in rows]


async def find(connection: Connection, scope: Scope, reference: str) -> Workflow | None:
    """By workflowId, then `_id`, then slug."""
    row = await connection.fetchrow(
        f"SELECT {COLUMNS} FROM workflows WHERE environment_id = $1 AND (key = $2 OR id = $3) "
        "ORDER BY key = $2 DESC LIMIT 1",
        scope.environment_id,
        reference,
        _id_in(reference),
    )
    return None if row is None else workflow_of(row)


async def get(connection: Connection, scope: Scope, reference: str) -> Workflow:
    found = await find(connection, scope, reference)
    if found is None:
        raise not_found(reference)
    return found


async def lock(connection: Connection, scope: Scope, reference: str) -> Workflow:
    """As `get`, and nobody else saves it until the transaction ends."""
    found = await get(connection, scope, reference)
    row = await connection.fetchrow(
        f"SELECT {COLUMNS} FROM workflows WHERE environment_id = $1 AND id = $2 FOR UPDATE",
        scope.environment_id,
        found.id,
    )
    if row is None:
        raise not_found(reference)
    return workflow_of(row)


async def by_key(connection: Connection, scope: Scope, key: str) -> Workflow | None:
    """By workflowId only, locked: the counterpart in another environment."""
    row = await connection.fetchrow(
        f"SELECT {COLUMNS} FROM workflows WHERE environment_id = $1 AND key = $2 FOR UPDATE",
        scope.environment_id,
        key,
    )
    return None if row is None else workflow_of(row)


async def add(connection: Connection, workflow: Workflow) -> bool:
    """False when the workflowId is taken."""
    done = await connection.fetchval(
        f"INSERT INTO workflows ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
        "$11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) "
        "ON CONFLICT (environment_id, key) DO NOTHING RETURNING true",
        *_values(workflow),
    )
    await changes.announce(connection, CHANGED)
    return bool(done)


async def save(connection: Connection, workflow: Workflow) -> None:
    await connection.execute(
        "UPDATE workflows SET key = $4, name = $5, description = $6, tags = $7, active = $8, "
        "origin = $9, severity = $10, validate_payload = $11, payload_schema = $12, "
        "is_translation_enabled = $13, preferences = $14, steps = $15, status = $16, "
        "version = $17, created_at = $18, updated_at = $19, last_published_at = $20, "
        "last_triggered_at = $21 "
        "WHERE id = $1 AND organization_id = $2 AND environment_id = $3",
        *_values(workflow),
    )
    await changes.announce(connection, CHANGED)


async def note_published(connection: Connection, scope: Scope, id: str, now: datetime) -> None:
    await connection.execute(
        "UPDATE workflows SET last_published_at = $3 WHERE environment_id = $1 AND id = $2",
        scope.environment_id,
        id,
        now,
    )


async def remove(connection: Connection, scope: Scope, id: str) -> None:
    await connection.execute(
        "DELETE FROM workflows WHERE environment_id = $1 AND id = $2", scope.environment_id, id
    )
    await changes.announce(connection, CHANGED)


async def tags(connection: Connection, scope: Scope) -> list[str]:
    rows = await connection.fetch(
        "SELECT DISTINCT unnest(tags) AS tag FROM workflows WHERE environment_id = $1 ORDER BY tag",
        scope.environment_id,
    )
    return [row["tag"] for row in rows]


def not_found(reference: str) -> NotFoundError:
    return NotFoundError(
        f"There is no workflow {reference!r} in this environment.", workflowId=reference
    )


def _id_in(reference: str) -> str | None:
    return reference if slugs.is_id(reference) else slugs.lengthen(reference)


def _values(workflow: Workflow) -> tuple[Any, ...]:
    return (
        workflow.id,
        workflow.scope.organization_id,
        workflow.scope.environment_id,
        workflow.key,
        workflow.name,
        workflow.description,
        workflow.tags,
        workflow.active,
        workflow.origin,
        workflow.severity,
        workflow.validate_payload,
        json_unless_none(workflow.payload_schema),
        workflow.is_translation_enabled,
        json_of(workflow.preferences),
        json_of(workflow.steps),
        workflow.status,
        workflow.version,
        workflow.created_at,
        workflow.updated_at,
        workflow.last_published_at,
        workflow.last_triggered_at,
    )


def workflow_of(row: Row | Mapping[str, Any]) -> Workflow:
    values = dict(row)
    scope = Scope(values.pop("organization_id"), values.pop("environment_id"))
    schema = values.pop("payload_schema")
    return Workflow(
        **{
            **values,
            "scope": scope,
            "payload_schema": None if schema is None else msgspec.json.decode(schema),
            "preferences": msgspec.json.decode(values["preferences"], type=Preferences),
            "steps": msgspec.json.decode(values["steps"], type=list[Step]),
        }
    )


def _summary(row: Row) -> Summary:
    values = {name: row[name] for name in Summary.__struct_fields__}
    values["steps"] = msgspec.json.decode(row["steps"], type=list[StepSummary])
    return Summary(**values)
