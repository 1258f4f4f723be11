"""What an event of three channels costs from the trigger to the last answer of a provider: in-app,
e-mail and chat, two of which are posts to the sink."""

import json
from typing import Any

import asyncpg

from bench import calls, floors, report, scene
from bench.report import Timing
from bench.service import Service, server, serving

_CONNECTIONS = 32
_EVENTS = 2000
_PEOPLE = 1000
_CHUNK = 100
_TARGET = 3.0
_TABLES = {
    "idempotency_records": "",
    "events": "id = ANY ($1)",
    "notifications": "event_id = ANY ($1)",
    "jobs": "notification_id IN (SELECT id FROM notifications WHERE event_id = ANY ($1))",
    "messages": "event_id = ANY ($1)",
}


def run() -> None:
    with server("sink") as (sink, _), serving() as service:
        furnish(service, sink)
        calls.run(scene.people(service.database_url(), 1, _PEOPLE, sink))
        micros, timing = measure(service, "events")
        report.against_floor(
            "event of three channels", micros, floor(service, sink), _TARGET, timing
        )


def furnish(service: Service, sink: int) -> None:
    scene.channels(service, sink)
    scene.workflow(service, "order", "in_app", "email", "chat")


def measure(service: Service, seed: str, count: int = _EVENTS) -> tuple[float, Timing]:
    """The timing is that of the triggers."""
    _trigger(service, f"{seed}-warm", 100)
    before = service.cpu_seconds()
    timing = _trigger(service, seed, count)
    return (service.cpu_seconds() - before) / count * 1e6, timing


def floor(service: Service, sink: int) -> float:
    """F1, F3 for the rows of an event, and F4 twice."""
    body = json.dumps({"name": "order", "to": "s1", "payload": scene.PAYLOAD}).encode()
    headers = {**service.headers, "Idempotency-Key": "floor-1"}
    bare = floors.request(calls.request("POST", "/", headers, body), _CONNECTIONS)
    chunks = calls.run(_rows(service.database_url()))
    events = sum(len(rows.records) for chunk in chunks for rows in chunk if rows.table == "events")
    copied = calls.run(floors.copies(service.database_url(), chunks)) / events
    posted = calls.run(floors.post(sink, b"x" * 600))
    return bare + copied + 2 * posted


def _trigger(service: Service, seed: str, count: int) -> Timing:
    requests = scene.triggers(service, "order", _PEOPLE, count, seed)
    timing = calls.run(calls.send_all(service.port, requests, _CONNECTIONS))
    calls.run(scene.finished(service.database_url()))
    return timing


async def _rows(url: str) -> list[list[floors.Rows]]:
    """The rows of the events, a hundred events at a time."""
    connection = await asyncpg.connect(url)
    ids = [row["id"] for row in await connection.fetch("SELECT id FROM events ORDER BY id")]
    chunks: list[list[floors.Rows]] = []
    for start in range(0, len(ids), _CHUNK):
        some = ids[start : start + _CHUNK]
        chunks.append([await _of_table(connection, table, some, start) for table in _TABLES])
    await connection.close()
    return chunks


async def _of_table(connection: Any, table: str, ids: list[str], start: int) -> floors.Rows:
    if table == "idempotency_records":
        query = f"SELECT * FROM {table} ORDER BY digest OFFSET {start} LIMIT {len(ids)}"
        return await floors.rows(connection, query, table)
    query = f"SELECT * FROM {table} WHERE {_TABLES[table]} ORDER BY id"
    return await floors.rows(connection, query, table, ids)
