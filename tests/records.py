"""Rows of the engine, made by hand: for tests of what reads, cancels and removes them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from tidings.clock import ManualClock
from tidings.domain.notifications import Detail
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.domain.workflows import Preferences, Step, Version, Workflow
from tidings.ids import Ids
from tidings.storage import subscribers, workflow_versions, workflows
from tidings.storage.database import Connection, Database
from tidings.world import World

_STEPS = [("in_app", "inbox"), ("email", "mail")]


class Records:
    """Makes rows in one environment; identifiers carry the time a row is said to be from."""

    def __init__(self, database: Database, scope: Scope, world: World) -> None:
        self.database = database
        self.scope = scope
        self.world = world

    def id(self, at: datetime | None = None) -> str:
        return self.world.ids.new() if at is None else Ids(ManualClock(at)).new()

    async def workflow(
        self, key: str = "welcome", steps: Sequence[Step] | None = None, **fields: Any
    ) -> Workflow:
        now = self.world.clock.now()
        if steps is None:
            steps = [self.step(type, key) for type, key in _STEPS]
        values: dict[str, Any] = {"active": True, "tags": ["news"], "status": "ACTIVE", **fields}
        workflow = Workflow(
            id=self.id(),
            scope=self.scope,
            key=key,
            name=key.title(),
            steps=list(steps),
            origin="svc-cloud",
            version=1,
            preferences=values.pop("preferences", Preferences()),
            created_at=now,
            updated_at=now,
            **values,
        )
        version = Version(
            workflow_id=workflow.id,
            version=1,
            saved_at=now,
            saved_by=None,
            changes=[],
            definition=workflow.definition,
        )
        async with self.database.transaction() as tx:
            assert await workflows.add(tx, workflow)
            await workflow_versions.add(tx, self.scope, version)
        return workflow

    def step(self, type: Any, key: str, **controls: Any) -> Step:
        return Step(id=self.id(), key=key, name=key.title(), type=type, controls=controls)

    async def subscriber(self, key: str = "ada", **said: Any) -> str:
        id = self.id()
        async with self.database.connection() as connection:
            made = await subscribers.put(
                connection, self.scope, id, Profile(key=key, **said), self.world.clock.now()
            )
        return made.id

    async def event(self, workflow: Workflow, transaction_id: str, **fields: Any) -> str:
        at = fields.get("created_at")
        return await self._add(
            "events",
            {
                "id": self.id(at),
                "organization_id": self.scope.organization_id,
                "transaction_id": transaction_id,
                "workflow_id": workflow.id,
                "workflow_version": workflow.version,
                "recipients": {"everyone": True},
                "payload": {"n": 1},
                "overrides": {},
                "context": {},
                "status": "done",
                "created_at": self.world.clock.now(),
                **fields,
            },
            json=("recipients", "payload", "overrides", "actor", "tenant", "context"),
        )

    async def notification(
        self,
        workflow: Workflow,
        subscriber_id: str,
        transaction_id: str = "txn",
        event_id: str | None = None,
        **fields: Any,
    ) -> str:
        at = fields.get("created_at") or self.world.clock.now()
        return await self._add(
            "notifications",
            {
                "id": self.id(fields.get("created_at")),
                "organization_id": self.scope.organization_id,
                "event_id": event_id or self.id(fields.get("created_at")),
                "transaction_id": transaction_id,
                "workflow_id": workflow.id,
                "workflow_version": workflow.version,
                "subscriber_id": subscriber_id,
                "recipient": {"subscriberId": "ada"},
                "channels": sorted({step.type for step in workflow.steps}),
                "tags": workflow.tags,
                "topics": [],
                "severity": "none",
                "critical": False,
                "created_at": at,
                "updated_at": at,
                **fields,
            },
            json=("recipient", "topics"),
        )

    async def job(
        self, notification_id: str, position: int, step: Step, status: str, **fields: Any
    ) -> str:
        values = {
            "id": self.id(),
            "notification_id": notification_id,
            "position": position,
            "step_id": step.id,
            "type": step.type,
            "status": status,
            "details": [self.detail("Step created", "Pending")],
            "updated_at": self.world.clock.now(),
            **fields,
        }
        return await self._add("jobs", values, json=("digest", "output", "details"))

    async def run(
        self, workflow: Workflow, subscriber_id: str, statuses: Sequence[str], **fields: Any
    ) -> tuple[str, list[str]]:
        """A notification with a job in each of these statuses."""
        notification = await self.notification(workflow, subscriber_id, **fields)
        jobs = [
            await self.job(notification, place, step, status)
            for place, (step, status) in enumerate(zip(workflow.steps, statuses, strict=True))
        ]
        return notification, jobs

    async def message(
        self, notification_id: str, job_id: str, workflow: Workflow, subscriber_id: str, **more: Any
    ) -> str:
        at = more.get("created_at") or self.world.clock.now()
        values = {
            "id": self.id(more.get("created_at")),
            "organization_id": self.scope.organization_id,
            "notification_id": notification_id,
            "job_id": job_id,
            "event_id": self.id(),
            "transaction_id": "txn",
            "workflow_id": workflow.id,
            "step_id": workflow.steps[0].id,
            "subscriber_id": subscriber_id,
            "channel": "in_app",
            "status": "sent",
            "content": "Hello",
            "created_at": at,
            "updated_at": at,
            **more,
        }
        return await self._add("messages", values, json=("content", "address", "cta", "data"))

    def detail(self, text: str, status: Any = "Success", **more: Any) -> Detail:
        now = self.world.clock.now()
        return Detail(id=self.id(), at=now, status=status, detail=text, **more)

    async def _add(self, table: str, values: dict[str, Any], json: Sequence[str]) -> str:
        values = {"environment_id": self.scope.environment_id, **values}
        given = {
            name: msgspec.json.encode(value).decode()
            if name in json and value is not None
            else value
            for name, value in values.items()
        }
        marks = ", ".join(f"${number}" for number in range(1, len(given) + 1))
        async with self.database.connection() as connection:
            await connection.execute(
                f"INSERT INTO {table} ({', '.join(given)}) VALUES ({marks})", *given.values()
            )
        return str(values["id"])


async def row(connection: Connection, table: str, id: str, key: str = "id") -> dict[str, Any]:
    found = await connection.fetchrow(f"SELECT * FROM {table} WHERE {key} = $1", id)
    assert found is not None
    return dict(found)


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)
