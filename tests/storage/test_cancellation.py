"""What a cancel stops, and what it leaves alone."""

import asyncio
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from tests.records import Records, row
from tidings.actions import events
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.storage.database import Database
from tidings.world import World


@pytest.fixture
def records(database: Database, scope: Scope, world: World) -> Records:
    return Records(database, scope, world)


@pytest.fixture
async def workflow(records: Records) -> Workflow:
    steps = [records.step("digest", "collect"), records.step("email", "mail")]
    return await records.workflow(steps=steps)


async def cancel(records: Records, transaction_id: str) -> bool:
    async with records.database.transaction() as tx:
        return await events.cancel(tx, records.scope, records.world, transaction_id)


async def read(records: Records, table: str, id: str, key: str = "id") -> dict[str, Any]:
    async with records.database.connection() as connection:
        return await row(connection, table, id, key)


async def status(records: Records, *jobs: str) -> list[str]:
    return [(await read(records, "jobs", job))["status"] for job in jobs]


class Digest:
    """An open digest of one subscriber, with the runs that opened and joined it."""

    def __init__(self, records: Records, workflow: Workflow) -> None:
        self.records = records
        self.workflow = workflow
        self.due_at = records.world.clock.now() + timedelta(hours=1)
        self.runs: list[tuple[str, list[str]]] = []

    async def gather(self, *transactions: str) -> "Digest":
        for transaction in transactions:
            event = await self.records.event(self.workflow, transaction)
            statuses = ["merged", "merged"] if self.runs else ["delayed", "pending"]
            run = await self.records.run(
                self.workflow, "s", statuses, event_id=event, transaction_id=transaction
            )
            self.runs.append(run)
        master, jobs = self.runs[0]
        async with self.records.database.connection() as connection:
            await connection.execute(
                "INSERT INTO digests (job_id, environment_id, workflow_id, step_id, subscriber_id, "
                "value, opened_at, due_at, event_count) VALUES ($1, $2, $3, $4, 's', '', $5, $5, "
                "$6)",
                jobs[0],
                self.records.scope.environment_id,
                self.workflow.id,
                self.workflow.steps[0].id,
                self.due_at,
                len(self.runs),
            )
            await connection.execute(
                'UPDATE jobs SET due_at = $2, digest = \'{"type": "regular"}\' WHERE id = $1',
                jobs[0],
                self.due_at,
            )
            for follower, its_jobs in self.runs[1:]:
                await connection.execute(
                    "UPDATE jobs SET merged_into = $2 WHERE id = $1", its_jobs[0], jobs[0]
                )
                await connection.execute(
                    "UPDATE notifications SET digested_into = $2 WHERE id = $1", follower, master
                )
        return self


async def test_an_event_that_nobody_fanned_out_yet(records: Records, workflow: Workflow) -> None:
    event = await records.event(workflow, "t", status="accepted")
    assert await cancel(records, "t") is True
    stored = await read(records, "events", event)
    assert (stored["status"], stored["canceled_at"] is None) == ("done", False)
    assert await cancel(records, "t") is False


async def test_a_large_fan_out_is_stopped_where_it_is(records: Records, workflow: Workflow) -> None:
    """The part that a worker holds is left to it, without waiting for that worker."""
    event = await records.event(workflow, "t", status="done")
    held, free = records.id(), records.id()
    async with records.database.connection() as connection:
        await connection.executemany(
            "INSERT INTO event_parts (id, event_id, lower, upper) VALUES ($1, $2, '', 'x')",
            [(held, event), (free, event)],
        )
    async with records.database.transaction() as worker:
        await worker.execute("SELECT FROM event_parts WHERE id = $1 FOR UPDATE", held)
        assert await cancel(records, "t") is True
        left = await worker.fetch("SELECT id FROM event_parts")
    assert [each["id"] for each in left] == [held]


async def test_what_waits_is_canceled_and_what_is_out_is_left(
    records: Records, workflow: Workflow
) -> None:
    event = await records.event(workflow, "t")
    _, first = await records.run(
        workflow, "a", ["completed", "delayed"], event_id=event, transaction_id="t"
    )
    _, second = await records.run(
        workflow, "b", ["running", "pending"], event_id=event, transaction_id="t"
    )
    _, other = await records.run(workflow, "a", ["delayed", "pending"], transaction_id="other")
    assert await cancel(records, "t") is True
    assert await status(records, *first, *second) == [
        "completed",
        "canceled",
        "running",
        "canceled",
    ]
    assert await status(records, *other) == ["delayed", "pending"]
    proof = msgspec.json.decode((await read(records, "jobs", first[1]))["details"])[-1]
    assert (proof["detail"], proof["reason"]) == ("Canceled on request", "canceled")
    assert len(proof["id"]) == 24


@pytest.mark.parametrize("transaction", ["unknown", "finished"])
async def test_there_is_nothing_to_stop(
    records: Records, workflow: Workflow, transaction: str
) -> None:
    event = await records.event(workflow, "finished")
    _, jobs = await records.run(
        workflow, "a", ["completed", "failed"], event_id=event, transaction_id="finished"
    )
    assert await cancel(records, transaction) is False
    assert await status(records, *jobs) == ["completed", "failed"]


async def test_another_environment_cannot_cancel(
    records: Records, workflow: Workflow, other_scope: Scope
) -> None:
    await records.event(workflow, "t", status="accepted")
    others = Records(records.database, other_scope, records.world)
    assert await cancel(others, "t") is False


async def test_the_oldest_follower_inherits_a_digest(records: Records, workflow: Workflow) -> None:
    digest = await Digest(records, workflow).gather("one", "two", "three")
    (_, first), (heir, second), (last, third) = digest.runs
    assert await cancel(records, "one") is True
    assert await status(records, *first) == ["canceled", "canceled"]
    assert await status(records, *second) == ["delayed", "pending"]
    assert await status(records, *third) == ["merged", "merged"]
    window = await read(records, "digests", second[0], "job_id")
    assert (window["open"], window["event_count"]) == (True, 2)
    waiting = await read(records, "jobs", second[0])
    assert (waiting["due_at"], waiting["merged_into"]) == (digest.due_at, None)
    assert msgspec.json.decode(waiting["digest"]) == {"type": "regular"}
    assert (await read(records, "jobs", third[0]))["merged_into"] == second[0]
    stored = {id: await read(records, "notifications", id) for id in (heir, last)}
    assert [stored[id]["digested_into"] for id in (heir, last)] == [None, heir]


async def test_a_digest_without_followers_is_closed(records: Records, workflow: Workflow) -> None:
    digest = await Digest(records, workflow).gather("one")
    assert await cancel(records, "one") is True
    window = await read(records, "digests", digest.runs[0][1][0], "job_id")
    assert window["open"] is False


async def test_a_follower_leaves_the_digest(records: Records, workflow: Workflow) -> None:
    digest = await Digest(records, workflow).gather("one", "two")
    (_, first), (follower, second) = digest.runs
    assert await cancel(records, "two") is True
    assert await status(records, *first, *second) == ["delayed", "pending", "canceled", "canceled"]
    assert (await read(records, "jobs", second[0]))["merged_into"] is None
    assert (await read(records, "notifications", follower))["digested_into"] is None
    assert (await read(records, "digests", first[0], "job_id"))["event_count"] == 1


async def test_what_a_closed_digest_took_along_is_history(
    records: Records, workflow: Workflow
) -> None:
    digest = await Digest(records, workflow).gather("one", "two")
    async with records.database.connection() as connection:
        await connection.execute("UPDATE digests SET open = false")
    assert await cancel(records, "two") is False
    assert await status(records, *digest.runs[1][1]) == ["merged", "merged"]


async def test_all_of_a_digest_canceled_at_once(records: Records, workflow: Workflow) -> None:
    names = [f"t{number}" for number in range(6)]
    digest = await Digest(records, workflow).gather(*names)
    assert await asyncio.gather(*(cancel(records, name) for name in names)) == [True] * 6
    for _, jobs in digest.runs:
        assert await status(records, *jobs) == ["canceled", "canceled"]
    async with records.database.connection() as connection:
        assert not await connection.fetchval("SELECT bool_or(open) FROM digests")
