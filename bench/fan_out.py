"""What a recipient of one trigger costs: a topic on three channels, a broadcast to everyone, and
how much a second worker helps."""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import asyncpg

from bench import calls, floors, machine, report, scene
from bench.report import Timing
from bench.service import Service, server, serving, serving_in

_MEMBERS = 10_000
_EVERYONE = 200_000
_SHARED = 40_000
_SAMPLE = 10_000
_CHUNK = 500
_TABLES = ("notifications", "jobs", "messages")
_TARGET = 2.0
_GROWTH_MB = 50.0
_HELP = 1.6


def run() -> None:
    topic()
    broadcast()
    second_worker()


def topic() -> None:
    with server("sink") as (sink, _), serving() as service:
        scene.channels(service, sink)
        scene.workflow(service, "order", "in_app", "email", "chat")
        calls.run(scene.people(service.database_url(), 1, _MEMBERS, sink))
        calls.run(scene.topic(service.database_url(), "all", _MEMBERS))
        to = {"type": "Topic", "topicKey": "all"}
        micros, timing = measure(
            service, "/v1/events/trigger", {"name": "order", "to": to}, _MEMBERS
        )
        copied = calls.run(_copied(service.database_url()))
        posted = calls.run(floors.post(sink, b"x" * 600))
        name = f"topic of {_MEMBERS}, three channels"
        report.against_floor(name, micros, copied + 2 * posted, _TARGET, timing)


def broadcast() -> None:
    with serving() as service:
        scene.workflow(service, "order", "in_app")
        calls.run(scene.people(service.database_url(), 1, _EVERYONE))
        before = machine.own_megabytes(service.everyone())
        watch = _Watch(service)
        path, body = "/v1/events/trigger/broadcast", {"name": "order"}
        micros, timing = measure(service, path, body, _EVERYONE, watch)
        copied = calls.run(_copied(service.database_url()))
        report.against_floor(f"broadcast to {_EVERYONE}, in-app", micros, copied, _TARGET, timing)
        grown = max(watch.most[pid] - size for pid, size in before.items() if pid in watch.most)
        report.at_most("most that a process grew", grown, _GROWTH_MB, " MB")


def second_worker() -> None:
    """The same broadcast with one engine process and with two."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with serving_in(data) as service:
            scene.workflow(service, "order", "in_app")
            calls.run(scene.people(service.database_url(), 1, _SHARED))
        rates = []
        for workers in ("1", "2"):
            with serving_in(data, "--engine-processes", workers) as service:
                path, body = "/v1/events/trigger/broadcast", {"name": "order"}
                rates.append(measure(service, path, body, _SHARED)[1].per_second)
        report.at_least("second worker: times the rate", rates[1] / rates[0], _HELP, "x")


class _Watch:
    """The most that each process had for itself."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.most: dict[int, float] = {}

    def look(self) -> None:
        for pid, size in machine.own_megabytes(self._service.everyone()).items():
            self.most[pid] = max(size, self.most.get(pid, 0.0))


def measure(
    service: Service, path: str, body: Mapping[str, object], count: int, watch: _Watch | None = None
) -> tuple[float, Timing]:
    time.sleep(1)
    cpu, started = service.cpu_seconds(), time.monotonic()
    service.post(path, {**body, "payload": scene.PAYLOAD})
    calls.run(_finished(service.database_url(), watch))
    timing = Timing(count, time.monotonic() - started)
    return (service.cpu_seconds() - cpu) / count * 1e6, timing


async def _finished(url: str, watch: _Watch | None) -> None:
    waiting = asyncio.create_task(scene.finished(url))
    while not waiting.done():
        if watch is not None:
            watch.look()
        await asyncio.wait([waiting], timeout=0.3)
    await waiting


async def _copied(url: str) -> float:
    """F3 for the rows of one recipient."""
    connection = await asyncpg.connect(url)
    ids = [
        row["id"]
        for row in await connection.fetch(
            f"SELECT id FROM notifications ORDER BY id LIMIT {_SAMPLE}"
        )
    ]
    chunks = []
    for start in range(0, len(ids), _CHUNK):
        some = ids[start : start + _CHUNK]
        chunk = []
        for table in _TABLES:
            column = "id" if table == "notifications" else "notification_id"
            query = f"SELECT * FROM {table} WHERE {column} = ANY ($1) ORDER BY id"
            chunk.append(await floors.rows(connection, query, table, some))
        chunks.append(chunk)
    await connection.close()
    return await floors.copies(url, chunks) / len(ids)
