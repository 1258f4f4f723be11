"""Rows that other parts of the service make, for tests that only need them to be there."""

from typing import Any

import msgspec

from tests.conftest import make_world
from tidings.domain.scope import Scope
from tidings.ids import Ids
from tidings.storage.database import Database

_IDS: Ids = make_world().ids


async def add_integration(
    database: Database,
    scope: Scope,
    provider_id: str,
    identifier: str | None = None,
    *,
    channel: str = "push",
    active: bool = True,
) -> str:
    id = _IDS.new()
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO integrations (id, organization_id, environment_id, name, identifier, "
            "provider_id, channel, credentials, configurations, active, created_at, updated_at) "
            "VALUES ($1, $2, $3, $4, $5, $4, $6, '', '', $7, now(), now())",
            id,
            scope.organization_id,
            scope.environment_id,
            provider_id,
            identifier or f"{provider_id}-{id}",
            channel,
            active,
        )
    return id


async def add_workflow(
    database: Database,
    scope: Scope,
    key: str,
    preferences: dict[str, Any] | None = None,
    *,
    name: str | None = None,
    active: bool = True,
) -> str:
    id = _IDS.new()
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO workflows (id, organization_id, environment_id, key, name, active, "
            "status, origin, preferences, steps, created_at, updated_at) VALUES ($1, $2, $3, $4, "
            "$5, $6, 'ACTIVE', 'svc-cloud', $7, '[]', now(), now())",
            id,
            scope.organization_id,
            scope.environment_id,
            key,
            name or key.title(),
            active,
            msgspec.json.encode(preferences or layers()).decode(),
        )
    return id


async def add_message(
    database: Database, scope: Scope, subscriber_id: str, workflow_id: str = "", **values: Any
) -> str:
    """An in-app message; `values` are columns of it."""
    id = _IDS.new()
    now = make_world().clock.now()
    row = {
        "id": id,
        "organization_id": scope.organization_id,
        "environment_id": scope.environment_id,
        "notification_id": _IDS.new(),
        "job_id": _IDS.new(),
        "event_id": _IDS.new(),
        "transaction_id": "t1",
        "workflow_id": workflow_id or _IDS.new(),
        "step_id": _IDS.new(),
        "subscriber_id": subscriber_id,
        "channel": "in_app",
        "status": "sent",
        "content": msgspec.json.encode(values.pop("body", "Hello")).decode(),
        "delivered_at": [now],
        "created_at": now,
        "updated_at": now,
        **values,
    }
    for name in ("cta", "data"):
        if isinstance(row.get(name), dict):
            row[name] = msgspec.json.encode(row[name]).decode()
    places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
    async with database.connection() as connection:
        await connection.execute(
            f"INSERT INTO messages ({', '.join(row)}) VALUES ({places})", *row.values()
        )
    return id


def layers(
    default: dict[str, bool] | None = None,
    user: dict[str, bool] | None = None,
    *,
    read_only: bool = False,
) -> dict[str, Any]:
    """The preferences of a workflow."""
    return {
        "user": None if user is None else _layer(user, False),
        "default": _layer(default or {}, read_only),
    }


def _layer(channels: dict[str, bool], read_only: bool) -> dict[str, Any]:
    return {
        "all": {"enabled": True, "readOnly": read_only},
        "channels": {name: {"enabled": value} for name, value in channels.items()},
    }
