"""What the parts of our work cost when nobody but them runs, in microseconds of CPU.

F1: a request to a bare application on our server. F2: the same statements by asyncpg alone.
F3: the same rows by COPY. F4: a POST by aiohttp alone.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp
import asyncpg
import msgspec

from bench import calls, machine
from bench.report import Timing, together
from bench.service import server
from tidings.storage import migrate

CONNECTIONS = 16
_SLICES, _SLICE_SECONDS = 5, 0.4
_POSTS = 3000

Statement = tuple[str, tuple[Any, ...]]


class Rows(msgspec.Struct, frozen=True):
    """Rows of one table that belong to one set of events."""

    table: str
    columns: list[str]
    records: list[tuple[Any, ...]]


def request(made: bytes, connections: int = CONNECTIONS) -> float:
    """F1."""
    with server("echo") as (port, pid):
        return hammered(port, lambda: made, connections, lambda: machine.cpu_seconds([pid]))[0]


def hammered(
    port: int, make: Callable[[], bytes], connections: int, spent: Callable[[], float]
) -> tuple[float, Timing]:
    """CPU per request in the best of several slices, since others use the machine too, and the
    timing of all of them."""
    calls.run(calls.hammer(port, make, connections, 0.3))
    found: list[float] = []
    timings: list[Timing] = []
    for _ in range(_SLICES):
        before = spent()
        timing = calls.run(calls.hammer(port, make, connections, _SLICE_SECONDS))
        found.append((spent() - before) / timing.count * 1e6)
        timings.append(timing)
    return min(found), together(timings)


async def recorded(url: str, work: Callable[[Any], Awaitable[Any]]) -> list[Statement]:
    """The statements that some work of ours consists of."""
    connection = await asyncpg.connect(url)
    await work(connection)  # once before, since a new connection asks about types
    found: list[Statement] = []
    with connection.query_logger(lambda query: found.append((query.query, tuple(query.args)))):
        await work(connection)
    await connection.close()
    return found


async def statements(url: str, asked: Sequence[Statement], connections: int = 8) -> float:
    """F2: one round of these questions, asked over several connections at once."""
    opened = [await asyncpg.connect(url) for _ in range(connections)]
    backends = [await each.fetchval("SELECT pg_backend_pid()") for each in opened]
    rounds = 0

    async def ask(connection: Any, end: float) -> None:
        nonlocal rounds
        while time.perf_counter() < end:
            for query, arguments in asked:
                await connection.fetch(query, *arguments)
            rounds += 1

    found: list[float] = []
    for seconds in (0.2, *[_SLICE_SECONDS] * _SLICES):
        rounds = 0
        begun, end = _spent(backends), time.perf_counter() + seconds
        await asyncio.gather(*(ask(each, end) for each in opened))
        found.append((_spent(backends) - begun) / rounds * 1e6)
    for each in opened:
        await each.close()
    return min(found[1:])


async def inserts(url: str, batches: Sequence[Sequence[Statement]]) -> float:
    """One batch of statements, each batch in a transaction of its own."""
    connection = await asyncpg.connect(url)
    backends = [await connection.fetchval("SELECT pg_backend_pid()")]
    begun = _spent(backends)
    for batch in batches:
        async with connection.transaction():
            for query, arguments in batch:
                await connection.execute(query, *arguments)
    used = _spent(backends) - begun
    await connection.close()
    return used / len(batches) * 1e6


async def copies(url: str, chunks: Sequence[Sequence[Rows]]) -> float:
    """F3: all these rows into a database like ours, one transaction per chunk; in total."""
    name = "floor"
    control = await asyncpg.connect(url)
    await control.execute(f"DROP DATABASE IF EXISTS {name}")
    await control.execute(f"CREATE DATABASE {name}")
    there = url.replace("@/tidings?", f"@/{name}?")
    await migrate.migrate(there)
    connection = await asyncpg.connect(there)
    await _copy_parents(control, connection)
    backends = [await connection.fetchval("SELECT pg_backend_pid()")]
    begun = _spent(backends)
    for chunk in chunks:
        async with connection.transaction():
            for rows in chunk:
                await connection.copy_records_to_table(
                    rows.table, columns=rows.columns, records=rows.records
                )
    used = _spent(backends) - begun
    await connection.close()
    await control.execute(f"DROP DATABASE {name}")
    await control.close()
    return used * 1e6


async def rows(connection: Any, query: str, table: str, *arguments: Any) -> Rows:
    found = await connection.fetch(query, *arguments)
    columns = list(found[0].keys()) if found else []
    return Rows(table, columns, [tuple(each) for each in found])


async def post(port: int, body: bytes) -> float:
    """F4."""
    url, headers = f"http://127.0.0.1:{port}/", {"Content-Type": "application/json"}
    left = iter(range(_POSTS))

    async def caller(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(url, data=body, headers=headers) as answer:
                await answer.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=200)) as session:
        begun = time.process_time()
        await asyncio.gather(*(caller(session) for _ in range(20)))
        return (time.process_time() - begun) / _POSTS * 1e6


async def _copy_parents(here: Any, there: Any) -> None:
    for table in ("organizations", "environments"):
        found = await rows(here, f"SELECT * FROM {table}", table)
        await there.copy_records_to_table(table, columns=found.columns, records=found.records)


def _spent(backends: list[int]) -> float:
    """By this process and those backends."""
    return time.process_time() + machine.cpu_seconds(backends)
