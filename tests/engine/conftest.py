"""An engine in the hands of a test: one worker, a clock that stands still, a network that obeys."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec
import pytest

from tests.conftest import make_world
from tidings.actions import integrations as integration_actions
from tidings.actions import workflows as workflow_actions
from tidings.clock import ManualClock
from tidings.dialect import Dialect
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.limits import Limits
from tidings.domain.scope import Scope
from tidings.domain.workflows import StepType
from tidings.engine.calling_off import CalledOff
from tidings.engine.catalog import Catalog
from tidings.engine.fan_out import FanOut
from tidings.engine.runner import Runner
from tidings.engine.sweeper import Sweeper
from tidings.providers.delivery import Network
from tidings.providers.exchange import Request, Response
from tidings.storage import workers
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.world import World

Step = tuple[StepType, dict[str, Any]]

EMAIL: Step = ("email", {"subject": "Hi", "body": "<p>Tea</p>", "editorType": "html"})


def people(count: int) -> list[dict[str, str]]:
    return [{"subscriberId": f"s{n}", "email": f"s{n}@example.com"} for n in range(count)]


class Wire:
    """Takes every HTTP call of the engine and answers as told."""

    def __init__(self) -> None:
        self.calls: list[Request] = []
        self.called = asyncio.Event()
        self.free = asyncio.Event()
        """Cleared to let calls wait for their answers."""
        self.free.set()
        self.answer: Callable[[Request], Response] = lambda request: Response(
            status=200, headers={}, body=b'{"id": "vendor-1"}'
        )

    async def send(self, request: Any) -> Response:
        self.calls.append(request)
        self.called.set()
        await self.free.wait()
        return self.answer(request)

    async def close(self) -> None:
        pass


class Engine:
    """What tests do with an engine."""

    def __init__(
        self, database: Database, scope: Scope, world: World, clock: ManualClock, wire: Wire,
        listener: Listener, dialect: Literal["svc", "novu"] = "svc",
    ) -> None:  # fmt: skip
        self.database = database
        self.scope = scope
        self.world = world
        self.clock = clock
        self.wire = wire
        network = Network(wire, wire)  # type: ignore[arg-type]
        catalog = Catalog(listener, world.sealer)
        self.called_off = CalledOff(database, listener)
        self.worker_id = world.ids.new()
        self.runner = Runner(
            database,
            world,
            Dialect(dialect),
            catalog,
            network,
            self.called_off,
            self.worker_id,
        )
        self.fan_out = FanOut(self.runner)
        self.sweeper = Sweeper(self.runner, self.fan_out)

    async def work(self) -> None:
        """Everything that can be done without time passing."""
        await self.fan_out.drain()
        await self.fan_out.settle()
        await self.sweeper.run_out_timers()
        await self.sweeper.end_snoozes()
        await self.fan_out.settle()

    async def pass_time(self, **span: float) -> None:
        self.clock.advance(timedelta(**span))
        await self.work()

    async def workflow(self, *steps: Step, key: str = "welcome", **more: Any) -> str:
        """Its id. Steps are (type, controls)."""
        draft = Draft(
            name=key.title(),
            active=True,
            steps=[
                StepDraft(
                    name=f"{type} {number}", key=f"{type}{number}", type=type, controls=controls
                )
                for number, (type, controls) in enumerate(steps)
            ],
            **more,
        )
        async with self.database.transaction() as tx:
            made = await workflow_actions.create(tx, self.scope, self.world, key, draft, None)
        return made.id

    async def trigger(
        self, workflow_id: str, to: Any = "ada", payload: Any = None, **more: Any
    ) -> str:
        """The transaction. `to`: keys, subscriber objects, or a recipients record."""
        recipients = to if isinstance(to, dict) and "subscribers" not in to else None
        if isinstance(to, str):
            to = [to]
        if isinstance(to, list):
            listed = [{"subscriberId": each} if isinstance(each, str) else each for each in to]
            to = {"subscribers": listed}
        transaction = more.pop("transaction", None) or self.world.ids.new()
        async with self.database.connection() as connection:
            await connection.execute(
                "INSERT INTO events (id, organization_id, environment_id, transaction_id, "
                "workflow_id, workflow_version, recipients, payload, overrides, actor, context, "
                "status, created_at) SELECT $1, $2, $3, $4, $5, version, $6, $7, $8, $9, $10, "
                "'accepted', $11 FROM workflows WHERE id = $5",
                self.world.ids.new(),
                self.scope.organization_id,
                self.scope.environment_id,
                transaction,
                workflow_id,
                msgspec.json.encode(recipients or to).decode(),
                msgspec.json.encode(payload or {}).decode(),
                msgspec.json.encode(more.get("overrides") or {}).decode(),
                msgspec.json.encode(more["actor"]).decode() if "actor" in more else None,
                msgspec.json.encode(more.get("context") or {}).decode(),
                self.clock.now(),
            )
        return transaction

    async def integration(self, provider_id: str, **credentials: Any) -> str:
        async with self.database.transaction() as tx:
            made = await integration_actions.create(
                tx,
                self.scope,
                self.world,
                integration_actions.NewIntegration(
                    provider_id=provider_id, active=True, credentials=credentials
                ),
            )
        return made.id

    async def mail_webhook(self) -> str:
        return await self.integration(
            "email-webhook",
            webhookUrl="http://127.0.0.1:1/x",
            secretKey="k" * 8,
            **{"from": "a@example.com"},
        )

    async def rows(self, query: str, *arguments: Any) -> list[Any]:
        async with self.database.connection() as connection:
            return [tuple(row) for row in await connection.fetch(query, *arguments)]

    async def statuses(self, key: str = "ada") -> list[list[str]]:
        """The statuses of the jobs of each notification of a subscriber, oldest first."""
        rows = await self.rows(
            "SELECT array_agg(j.status ORDER BY j.position) FROM notifications AS n "
            "JOIN jobs AS j ON j.notification_id = n.id JOIN subscribers AS s "
            "ON s.id = n.subscriber_id WHERE s.key = $1 GROUP BY n.id ORDER BY n.id",
            key,
        )
        return [row[0] for row in rows]

    async def details(self, key: str = "ada") -> list[str]:
        rows = await self.rows(
            "SELECT d ->> 'detail' FROM jobs AS j JOIN notifications AS n "
            "ON n.id = j.notification_id JOIN subscribers AS s ON s.id = n.subscriber_id, "
            "jsonb_array_elements(j.details) WITH ORDINALITY AS x (d, place) WHERE s.key = $1 "
            "ORDER BY n.id, j.position, place",
            key,
        )
        return [row[0] for row in rows]

    async def messages(self, columns: str = "channel, content") -> Sequence[Any]:
        return await self.rows(f"SELECT {columns} FROM messages ORDER BY id")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def listener(database: Database) -> AsyncIterator[Listener]:
    listener = Listener(database)
    await listener.start()
    yield listener
    await listener.stop()


@pytest.fixture
def with_limits(
    database: Database, scope: Scope, clock: ManualClock, listener: Listener
) -> Callable[[Limits], Engine]:
    def make(limits: Limits) -> Engine:
        world = msgspec.structs.replace(make_world(clock), limits=limits)
        return Engine(database, scope, world, clock, Wire(), listener)

    return make


@pytest.fixture
async def engine(
    database: Database, scope: Scope, clock: ManualClock, listener: Listener
) -> Engine:
    world = make_world(clock)
    engine = Engine(database, scope, world, clock, Wire(), listener)
    async with database.connection() as connection:
        await workers.beat(connection, engine.worker_id, clock.now(), clock.now())
    return engine
