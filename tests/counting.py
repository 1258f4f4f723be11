"""Counts what is asked of the database: statements and copies, whoever asks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tidings.storage.database import Database

_LEARNING = ("typeinfo_tree", "current_setting('jit')")
"""In what the driver asks once per connection, to learn the types."""


@asynccontextmanager
async def counting(database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """The texts, in order, of everything that is asked over the pool meanwhile."""
    asked: list[str] = []

    def log(query: Any) -> None:
        if not any(mark in query.query for mark in _LEARNING):
            asked.append(query.query)

    take, copy = database.take, asyncpg.Connection._copy_in  # type: ignore[attr-defined]

    watched: list[Any] = []

    async def taking() -> Any:
        connection = await take()
        connection.add_query_logger(log)
        watched.append(connection)
        return connection

    async def copying(self: Any, statement: str, *arguments: Any) -> Any:
        asked.append(statement)
        return await copy(self, statement, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(database, "take", taking)
        patched.setattr(asyncpg.Connection, "_copy_in", copying)
        yield asked
        await asyncio.sleep(0)  # the driver tells of the last one a moment later
    for connection in watched:
        connection.remove_query_logger(log)
