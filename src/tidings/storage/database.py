"""One pool of connections per process, and the errors that mean the database is away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg

Row = asyncpg.Record

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    OwnConnection = asyncpg.Connection[Row]
    Connection = OwnConnection | PoolConnectionProxy[Row]
    Pool = asyncpg.Pool[Row]
else:  # asyncpg's classes take no parameters at run time
    OwnConnection = Connection = Pool = Any

MINIMUM_VERSION = 15

AWAY: tuple[type[Exception], ...] = (
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    ConnectionError,
    TimeoutError,
)
"""The database cannot be asked just now; the same request may succeed in a moment."""

UNSTORABLE: tuple[type[Exception], ...] = (
    asyncpg.CharacterNotInRepertoireError,
    asyncpg.UntranslatableCharacterError,
)
"""A text holds a character that PostgreSQL cannot keep: NUL."""

TROUBLE: tuple[type[Exception], ...] = (*AWAY, OSError, asyncpg.PostgresError)
"""Anything that can go wrong with a connection that somebody keeps."""


class DatabaseRefusedError(Exception):
    """The database cannot be used as it is; the message says what to change."""


class Database:
    """The pool of one process."""

    def __init__(self, url: str, pool: Pool) -> None:
        self.url = url
        self.pool = pool

    @classmethod
    async def open(cls, url: str, size: int = 10) -> "Database":
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=size,
                reset=_nothing_to_reset,
                command_timeout=60,
                timeout=10,
                max_inactive_connection_lifetime=300,
                server_settings={"application_name": "tidings", "timezone": "UTC"},
            )
        except TROUBLE as error:
            raise DatabaseRefusedError(
                f"The database cannot be reached: {str(error) or type(error).__name__}. Check "
                "TIDINGS_DATABASE_URL and that the server runs."
            ) from None
        database = cls(url, pool)
        await database._refuse_old_server()
        return database

    async def close(self) -> None:
        await self.pool.close()

    def terminate(self) -> None:
        self.pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for reading: every statement is its own transaction."""
        async with self.pool.acquire(timeout=10) as connection:
            yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            yield connection

    async def connect(self) -> OwnConnection:
        """A connection of its own, outside the pool, for those who keep one (listeners, locks)."""
        return await connect(self.url)

    def pool_state(self) -> tuple[int, int]:
        """Connections open, and of those idle."""
        return self.pool.get_size(), self.pool.get_idle_size()

    async def _refuse_old_server(self) -> None:
        async with self.connection() as connection:
            version = connection.get_server_version()
        if version.major < MINIMUM_VERSION:
            await self.close()
            raise DatabaseRefusedError(
                f"The server at TIDINGS_DATABASE_URL is PostgreSQL {version.major}; Tidings needs "
                f"{MINIMUM_VERSION} or newer. Upgrade it, or unset the address to use the embedded "
                "database."
            )


async def connect(url: str) -> OwnConnection:
    connection: OwnConnection = await asyncpg.connect(url)
    return connection


async def _nothing_to_reset(connection: Connection) -> None:
    """Our statements leave no session state behind, so giving a connection back costs nothing."""
