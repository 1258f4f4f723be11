"""What it costs to accept a trigger, durably and with an idempotency key, and how long it takes."""

import itertools
import json
from datetime import UTC, datetime
from typing import Any

import asyncpg

from bench import calls, floors, report, scene
from bench.report import Timing
from bench.service import Service, serving
from tidings.domain.events import Event, Recipients
from tidings.domain.scope import Scope
from tidings.storage import events, idempotency
from tidings.storage.idempotency import Kept, Record

_CONNECTIONS = 32
_BATCHES = 40
_TARGET = 3.0
_SPREAD_TARGET = 20.0
_PACE_SECONDS = 4.0
_BODY = json.dumps({"name": "order", "to": "s1", "payload": scene.PAYLOAD}).encode()
_keys = itertools.count()


def run() -> None:
    with serving("--no-engine") as service:
        furnish(service)
        micros, timing = measure(service)
        report.against_floor("trigger accepted", micros, floor(service), _TARGET, timing)
        half = timing.per_second / 2
        paced = calls.run(
            calls.pace(service.port, _maker(service), _CONNECTIONS, _PACE_SECONDS, half)
        )
        name = "p99 by p50 at half load"
        report.at_most(name, paced.wait(0.99) / paced.wait(0.5), _SPREAD_TARGET, "x")


def furnish(service: Service) -> None:
    scene.workflow(service, "order", "in_app")


def measure(service: Service) -> tuple[float, Timing]:
    make = _maker(service)
    return floors.hammered(service.port, make, _CONNECTIONS, service.cpu_seconds)


def floor(service: Service) -> float:
    """F1, and the share of one trigger in an insert of as many as there are callers."""
    bare = floors.request(_maker(service)(), _CONNECTIONS)
    batch = calls.run(_grouped(service.database_url()))
    return bare + batch / _CONNECTIONS


def _maker(service: Service) -> Any:
    def make() -> bytes:
        headers = {**service.headers, "Idempotency-Key": f"accepting-{next(_keys)}"}
        return calls.request("POST", "/v1/events/trigger", headers, _BODY)

    return make


async def _grouped(url: str) -> float:
    connection = await asyncpg.connect(url)
    scope = await scene.scope_of(connection)
    workflow_id = await connection.fetchval("SELECT id FROM workflows WHERE key = 'order'")
    await connection.close()
    batches = [await _batch(url, scope, workflow_id, number) for number in range(_BATCHES)]
    return await floors.inserts(url, batches)


async def _batch(url: str, scope: Scope, workflow_id: str, number: int) -> list[floors.Statement]:
    now = datetime.now(UTC)
    ids = [f"{number:012x}{place:012x}" for place in range(_CONNECTIONS)]
    answer = Kept(b"f" * 16, 201, "application/json", b"x" * 90)

    async def write(connection: Any) -> None:
        transaction = connection.transaction()
        await transaction.start()
        records = [Record(scope.environment_id, bytes.fromhex(id), answer) for id in ids]
        await idempotency.keep_many(connection, records, now, now)
        found = [
            Event(
                id=id,
                transaction_id=f"txn_{id}",
                workflow_id=workflow_id,
                workflow_version=1,
                recipients=Recipients(({"subscriberId": "s1"},)),
                payload=scene.PAYLOAD,
                overrides={},
                created_at=now,
            )
            for id in ids
        ]
        await events.add_many(connection, [(scope, event) for event in found])
        await transaction.rollback()

    asked = await floors.recorded(url, write)
    return [each for each in asked if each[0].startswith("INSERT")]
