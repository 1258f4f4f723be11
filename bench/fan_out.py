"""One broadcast to 100,000 subscribers: what a recipient costs, and whether memory stays flat."""

import asyncio
import json
import tempfile
import time

import asyncpg

from bench import machine
from bench.service import serving

_PEOPLE = 100_000
_DEADLINE_SECONDS = 240.0


def run() -> None:
    with serving() as service, tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for number in range(_PEOPLE):
            file.write(json.dumps({"subscriberId": f"s{number}", "firstName": "Ada"}) + "\n")
        file.flush()
        service.command("subscribers", "import", file.name, "--environment", "Development")
        step = {"name": "Inbox", "type": "in_app", "controlValues": {"body": "{{payload.n}}"}}
        service.post("/v2/workflows", {
            "name": "All", "workflowId": "all", "active": True, "steps": [step],
        })  # fmt: skip
        time.sleep(2)
        before = machine.resident_megabytes(service.python())
        cpu, started = machine.cpu_seconds(service.everyone()), time.monotonic()
        service.post("/v1/events/trigger/broadcast", {"name": "all", "payload": {"n": 1}})
        peak = asyncio.run(_watch(service.database_url(), service.python()))
        seconds = time.monotonic() - started
        used = machine.cpu_seconds(service.everyone()) - cpu
        print(f"recipients per second      {_PEOPLE / seconds:8.0f}")
        print(f"CPU per recipient          {used / _PEOPLE * 1e6:8.0f} µs, PostgreSQL included")
        print(f"memory before, at most     {before:5.0f} MB, {peak:.0f} MB   (target +50)")


async def _watch(url: str, python: list[int]) -> float:
    """The most memory that the processes used until everybody was notified."""
    connection = await asyncpg.connect(url)
    peak, deadline = 0.0, time.monotonic() + _DEADLINE_SECONDS
    waiting = (
        "SELECT EXISTS (SELECT FROM events WHERE status = 'accepted') "
        "OR EXISTS (SELECT FROM event_parts)"
    )
    while time.monotonic() < deadline:
        peak = max(peak, machine.resident_megabytes(python))
        if not await connection.fetchval(waiting):
            found = await connection.fetchval("SELECT count(*) FROM messages")
            assert found == _PEOPLE, f"{found} messages"
            break
        await asyncio.sleep(0.2)
    await connection.close()
    return peak
