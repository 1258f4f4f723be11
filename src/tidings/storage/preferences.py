"""What subscribers chose, and the workflows they can choose about."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.preferences import Channels, Chosen, Workflow
from tidings.domain.schedules import Schedule
from tidings.domain.scope import Scope
from tidings.domain.slugs import is_id, lengthen
from tidings.domain.workflows import Preferences
from tidings.storage.database import Connection, Row, json_of, json_unless_none

_WORKFLOW = "id, key, name, tags, severity, preferences, updated_at"


async def workflows(connection: Connection, scope: Scope) -> list[Workflow]:
    """The active ones, oldest first."""
    rows = await connection.fetch(
        f"SELECT {_WORKFLOW} FROM workflows WHERE environment_id = $1 AND active ORDER BY id",
        scope.environment_id,
    )
    return [_workflow(row) for row in rows]


async def step_channels(connection: Connection, scope: Scope) -> dict[str, frozenset[Channel]]:
    """The channels for which the active workflows have steps, by the workflow's id."""
    rows = await connection.fetch(
        "SELECT id, ARRAY(SELECT DISTINCT step ->> 'type' FROM jsonb_array_elements(steps) "
        "AS each (step)) AS types FROM workflows WHERE environment_id = $1 AND active",
        scope.environment_id,
    )
    return {row["id"]: frozenset(set(CHANNELS) & set(row["types"])) for row in rows}


async def named_workflows(
    connection: Connection, scope: Scope, names: Iterable[str]
) -> dict[str, Workflow]:
    """The workflows with these keys, ids or slugs, in that order of trying, by the name given.
    Nobody can remove them before the transaction ends."""
    ids = {name: name if is_id(name) else lengthen(name) for name in names}
    rows = await connection.fetch(
        f"SELECT {_WORKFLOW} FROM workflows WHERE environment_id = $1 "
        "AND (key = ANY ($2) OR id = ANY ($3)) ORDER BY id FOR KEY SHARE",
        scope.environment_id,
        list(ids),
        [id for id in ids.values() if id],
    )
    found = [_workflow(row) for row in rows]
    by_id = {each.id: each for each in found}
    by_key = {each.key: each for each in found}
    named = {name: by_key.get(name) or by_id.get(id or "") for name, id in ids.items()}
    return {name: workflow for name, workflow in named.items() if workflow is not None}


async def chosen(connection: Connection, scope: Scope, subscriber_id: str) -> Chosen:
    rows = await connection.fetch(
        "SELECT workflow_id, channels, schedule FROM subscriber_preferences "
        "WHERE environment_id = $1 AND subscriber_id = $2",
        scope.environment_id,
        subscriber_id,
    )
    return _chosen(rows)


def _chosen(rows: Iterable[Row]) -> Chosen:
    channels: Channels = {}
    schedule: Schedule | None = None
    own: dict[str, Channels] = {}
    for row in rows:
        said = msgspec.json.decode(row["channels"], type=Channels)
        if row["workflow_id"] is not None:
            own[row["workflow_id"]] = said
        else:
            channels = said
            if row["schedule"] is not None:
                schedule = msgspec.json.decode(row["schedule"], type=Schedule)
    return Chosen(channels=channels, schedule=schedule, workflows=own)


async def chosen_by(
    connection: Connection, subscriber_ids: Sequence[str], workflow_ids: Sequence[str]
) -> dict[str, Chosen]:
    """What these subscribers chose everywhere and for these workflows; those who chose nothing are
    missing."""
    rows = await connection.fetch(
        "SELECT subscriber_id, workflow_id, channels, schedule FROM subscriber_preferences "
        "WHERE subscriber_id = ANY ($1) AND (workflow_id IS NULL OR workflow_id = ANY ($2))",
        subscriber_ids,
        workflow_ids,
    )
    by_subscriber: dict[str, list[Row]] = {}
    for row in rows:
        by_subscriber.setdefault(row["subscriber_id"], []).append(row)
    return {id: _chosen(said) for id, said in by_subscriber.items()}


async def choose(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    choices: Mapping[str | None, Channels],
    now: datetime,
) -> None:
    """Write choices over earlier ones; by workflow id, None for those that hold everywhere."""
    await connection.execute(
        "INSERT INTO subscriber_preferences AS p "
        "(environment_id, subscriber_id, workflow_id, channels, updated_at) "
        "SELECT $1, $2, given.workflow_id, given.channels, $5 "
        "FROM unnest($3::text[], $4::jsonb[]) AS given (workflow_id, channels) "
        "ORDER BY given.workflow_id "
        "ON CONFLICT (subscriber_id, workflow_id) "
        "DO UPDATE SET channels = p.channels || excluded.channels, updated_at = $5",
        scope.environment_id,
        subscriber_id,
        list(choices),
        [json_of(channels) for channels in choices.values()],
        now,
    )


async def clear_workflow_choices(
    connection: Connection, scope: Scope, subscriber_id: str, channels: Iterable[str], now: datetime
) -> None:
    """Let what holds everywhere show through again on these channels."""
    await connection.execute(
        "UPDATE subscriber_preferences SET channels = channels - $3::text[], updated_at = $4 "
        "WHERE environment_id = $1 AND subscriber_id = $2 AND workflow_id IS NOT NULL "
        "AND channels ?| $3",
        scope.environment_id,
        subscriber_id,
        list(channels),
        now,
    )


async def set_schedule(
    connection: Connection,
    scope: Scope,
    subscriber_id: str,
    schedule: Schedule | None,
    now: datetime,
) -> None:
    await connection.execute(
        "INSERT INTO subscriber_preferences (environment_id, subscriber_id, schedule, updated_at) "
        "VALUES ($1, $2, $3, $4) ON CONFLICT (subscriber_id, workflow_id) "
        "DO UPDATE SET schedule = $3, updated_at = $4",
        scope.environment_id,
        subscriber_id,
        json_unless_none(schedule),
        now,
    )


def _workflow(row: Row) -> Workflow:
    return Workflow(
        id=row["id"],
        key=row["key"],
        name=row["name"],
        tags=row["tags"],
        severity=row["severity"],
        preferences=msgspec.json.decode(row["preferences"], type=Preferences),
        updated_at=row["updated_at"],
    )
