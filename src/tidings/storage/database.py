"""One pool of connections per process, and the errors that mean the database is away."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import asyncpg
import msgspec

Row = asyncpg.Record

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    OwnConnection = asyncpg.Connection[Row]
    Borrowed = PoolConnectionProxy[Row]
    Connection = OwnConnection | Borrowed
    Pool = asyncpg.Pool[Row]
    Transaction = asyncpg.transaction.Transaction
else:  # asyncpg's classes take no parameters at run time
    OwnConnection = Borrowed = Connection = Pool = Transaction = Any

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


_SPARE = 2
"""Connections that are never kept at hand, for those who use the pool itself: one to listen on and
one to ask on."""
_PATIENCE = 10.0
_announced: ContextVar[list[str]] = ContextVar("announced")


class DatabaseRefusedError(Exception):
    """The database cannot be used as it is; the message says what to change."""


class Database:
    """The connections of one process.

    asyncpg's pool opens and closes them, but its own way of handing one out costs about as much as
    a small query. So what is given back is kept at hand, for whoever waits the longest.
    """

    def __init__(self, url: str, pool: Pool) -> None:
        self.url = url
        self.pool = pool
        self.hearers: list[Callable[[str], None]] = []
        """Called with what was announced in a transaction of this process, once it is committed:
        what comes back from the server by way of a listener may come after the next request."""
        self._at_hand: list[Borrowed] = []
        self._closing = False
        self._free = asyncio.Semaphore(pool.get_max_size() - _SPARE)

    @classmethod
    async def open(cls, url: str, size: int = 10) -> "Database":
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=size + _SPARE,
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
        """Wait a while for those who still have a connection, and close all."""
        self._closing = True
        at_hand, self._at_hand = self._at_hand, []
        for connection in at_hand:
            await self.pool.release(connection)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self.pool.close()  # cuts off who is still there when it is interrupted

    def terminate(self) -> None:
        self.pool.terminate()

    async def take(self) -> Borrowed:
        """A connection that the caller gives back."""
        if self._free.locked():
            async with asyncio.timeout(_PATIENCE):
                await self._free.acquire()
        else:
            await self._free.acquire()
        try:
            while self._at_hand:
                connection = self._at_hand.pop()
                if _is_live(connection):
                    return connection
                await self.pool.release(connection)
            return await self.pool.acquire(timeout=_PATIENCE)
        except BaseException:
            self._free.release()
            raise

    async def give_back(self, connection: Borrowed) -> None:
        try:
            if _is_live(connection):
                if connection.is_in_transaction():
                    connection.terminate()  # whoever had it left in the middle of something
                elif not self._closing:
                    self._at_hand.append(connection)
                    return
            await self.pool.release(connection)
        finally:
            self._free.release()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for reading: every statement is its own transaction."""
        connection = await self.take()
        try:
            yield connection
        finally:
            await self.give_back(connection)

    async def begin(self) -> tuple[Borrowed, Transaction]:
        """A connection that the caller gives back, and the transaction it ends before."""
        connection = await self.take()
        try:
            transaction = connection.transaction()
            await transaction.start()
        except BaseException:
            connection.terminate()  # nobody knows whether it has begun
            await self.give_back(connection)
            raise
        return connection, transaction

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        announced = begin_announcing()
        connection, transaction = await self.begin()
        try:
            try:
                yield connection
            except BaseException:
                await transaction.rollback()
                raise
            await transaction.commit()
        finally:
            await self.give_back(connection)
        self.committed(announced)

    def committed(self, announced: Iterable[str]) -> None:
        for what in announced:
            for hear in self.hearers:
                hear(what)

    async def connect(self) -> OwnConnection:
        """A connection of its own, outside the pool, for those who keep one (listeners, locks)."""
        return await connect(self.url)

    def pool_state(self) -> tuple[int, int]:
        """Connections open, and of those idle."""
        return self.pool.get_size(), self.pool.get_idle_size() + len(self._at_hand)

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


def raw(value: str | None) -> msgspec.Raw | None:
    """JSON as PostgreSQL gives it, to be passed on without reading it."""
    return None if value is None else msgspec.Raw(value.encode())


def json_of(value: Any) -> str:
    """As PostgreSQL takes it."""
    if not value and isinstance(value, dict):
        return "{}"
    return msgspec.json.encode(value).decode()


def json_unless_none(value: Any) -> str | None:
    return None if value is None else json_of(value)


def beside(row: Row, prefix: str) -> dict[str, Any]:
    """The columns of another table in a joined row, under their own names."""
    return {
        name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)
    }


def begin_announcing() -> list[str]:
    """What is announced from now on in this task."""
    announced: list[str] = []
    _announced.set(announced)
    return announced


def note_announced(what: str) -> None:
    _announced.get([]).append(what)


def _is_live(connection: Borrowed) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # it was lost, and the pool has it back
        return False


async def connect(url: str) -> OwnConnection:
    connection: OwnConnection = await asyncpg.connect(url)
    return connection


async def _nothing_to_reset(connection: Connection) -> None:
    """Our statements leave no session state behind, so giving a connection back costs nothing."""
