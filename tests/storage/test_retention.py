"""What is old and finished goes; what is unfinished stays, however old."""

from datetime import timedelta
from typing import Any

import pytest

from tests.conftest import make_world
from tests.records import Records
from tidings.clock import ManualClock
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.engine import housekeeping
from tidings.storage import retention
from tidings.storage.database import Database

OLD = timedelta(days=91)
VERY_OLD = timedelta(days=366)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def records(database: Database, scope: Scope, clock: ManualClock) -> Records:
    return Records(database, scope, make_world(clock))


@pytest.fixture
async def workflow(records: Records) -> Workflow:
    return await records.workflow()


async def made(records: Records, workflow: Workflow, age: timedelta, **more: Any) -> None:
    """An event with its notification and a message on each of two channels."""
    at = records.world.clock.now() - age
    transaction = records.id()
    event = await records.event(
        workflow, transaction, created_at=at, status=more.pop("event_status", "done")
    )
    statuses = more.pop("statuses", ["completed", "completed"])
    notification, jobs = await records.run(
        workflow, "s", statuses, event_id=event, transaction_id=transaction, created_at=at, **more
    )
    for job, channel in zip(jobs, ("in_app", "email"), strict=True):
        await records.message(
            notification, job, workflow, "s", event_id=event, channel=channel, created_at=at
        )


async def left(database: Database) -> dict[str, int]:
    tables = ("events", "notifications", "jobs", "messages")
    async with database.connection() as connection:
        return {
            table: await connection.fetchval(f"SELECT count(*) FROM {table}") for table in tables
        }


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (timedelta(days=89), {"events": 1, "notifications": 1, "jobs": 2, "messages": 2}),
        (OLD, {"events": 0, "notifications": 0, "jobs": 0, "messages": 1}),
        (VERY_OLD, {"events": 0, "notifications": 0, "jobs": 0, "messages": 0}),
    ],
)
async def test_records_go_when_their_time_has_come(
    database: Database,
    records: Records,
    workflow: Workflow,
    age: timedelta,
    expected: dict[str, int],
) -> None:
    await made(records, workflow, age)
    await housekeeping.forget_old(database, records.world)
    assert await left(database) == expected


@pytest.mark.parametrize(
    "more",
    [{"statuses": ["completed", "delayed"]}, {"statuses": ["running", "pending"]}],
)
async def test_nothing_unfinished_goes(
    database: Database, records: Records, workflow: Workflow, more: dict[str, Any]
) -> None:
    await made(records, workflow, VERY_OLD, **more)
    await housekeeping.forget_old(database, records.world)
    assert await left(database) == {"events": 1, "notifications": 1, "jobs": 2, "messages": 2}


async def test_an_event_that_is_not_fanned_out_stays(
    database: Database, records: Records, workflow: Workflow
) -> None:
    at = records.world.clock.now() - VERY_OLD
    await records.event(workflow, "t", created_at=at, status="accepted")
    await housekeeping.forget_old(database, records.world)
    assert (await left(database))["events"] == 1


async def test_what_an_open_digest_gathers_stays(
    database: Database, records: Records, workflow: Workflow
) -> None:
    await made(records, workflow, VERY_OLD, statuses=["merged", "merged"])
    master = records.id()
    async with database.connection() as connection:
        await connection.execute("UPDATE jobs SET merged_into = $1 WHERE position = 0", master)
        await connection.execute(
            "INSERT INTO digests (job_id, environment_id, workflow_id, step_id, subscriber_id, "
            "value, opened_at, due_at) VALUES ($1, $2, 'w', 'x', 's', '', now(), now())",
            master,
            records.scope.environment_id,
        )
        await housekeeping.forget_old(database, records.world)
        assert (await left(database))["notifications"] == 1
        await connection.execute("UPDATE digests SET open = false")
    await housekeeping.forget_old(database, records.world)
    assert (await left(database))["notifications"] == 0


async def test_many_go_batch_by_batch(
    database: Database,
    records: Records,
    workflow: Workflow,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retention, "BATCH", 3)
    for number in range(8):
        await made(
            records,
            workflow,
            OLD,
            statuses=["completed", "delayed" if number % 4 == 0 else "failed"],
        )
    removed = await housekeeping.forget_old(database, records.world)
    assert removed == {
        "messages": 6,
        "in_app_messages": 0,
        "notifications": 6,
        "events": 6,
        "windows": 0,
    }
