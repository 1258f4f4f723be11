import asyncio
from datetime import timedelta

import pytest

from tests.waiting import until_async
from tidings.engine import queue
from tidings.engine.queue import Queue
from tidings.storage import migrate
from tidings.storage.database import Database


async def test_a_wake_up_is_heard_when_its_transaction_commits(database: Database) -> None:
    heard: list[bytes] = []
    arrived = asyncio.Event()

    async def handle(payload: bytes) -> None:
        heard.append(payload)
        arrived.set()

    listening = Queue(database)
    listening.on("topic", handle)
    running = asyncio.create_task(listening.run())
    with pytest.raises(RuntimeError):
        async with database.transaction() as tx:
            await queue.wake(tx, "topic", b"rolled back")
            raise RuntimeError
    async with database.transaction() as tx:
        await queue.wake(tx, "topic", b"committed")
    await asyncio.wait_for(arrived.wait(), 20)
    listening.stop()
    await asyncio.wait_for(running, 20)
    assert heard == [b"committed"]


async def test_what_waits_is_counted(database: Database) -> None:
    async with database.transaction() as tx:
        for _ in range(3):
            await queue.wake(tx, "topic", after=timedelta(hours=1))
    async with database.connection() as connection:
        state = await queue.state(connection)
    assert state.depth == 3
    assert state.oldest_seconds >= 0


async def test_the_tables_are_made_once_per_version(empty_url: str) -> None:
    await migrate.migrate(empty_url)
    database = await Database.open(empty_url, 5)
    await asyncio.gather(*(queue.install(database) for _ in range(3)))
    async with database.transaction() as tx:
        await migrate.note_part(tx, "pgqueuer", "0.0.1")
    await queue.install(database)
    async with database.connection() as connection:
        assert await migrate.part_version(connection, "pgqueuer") != "0.0.1"
        assert (await queue.state(connection)).depth == 0
    await database.close()


async def test_a_handler_that_fails_does_not_stop_the_queue(database: Database) -> None:
    heard: list[bytes] = []

    async def handle(payload: bytes) -> None:
        heard.append(payload)
        if payload == b"bad":
            raise RuntimeError("on purpose")

    listening = Queue(database)
    listening.on("topic", handle)
    running = asyncio.create_task(listening.run())
    for payload in (b"bad", b"good"):
        async with database.transaction() as tx:
            await queue.wake(tx, "topic", payload)

    async def both() -> bool:
        return sorted(heard) == [b"bad", b"good"]

    await until_async(both)
    listening.stop()
    await asyncio.wait_for(running, 20)
