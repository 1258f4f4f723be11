"""Tells every process that something it may have cached has changed, by LISTEN/NOTIFY."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tidings.storage.database import TROUBLE, Connection, Database, OwnConnection

_CHANNEL = "tidings_changes"
_PROBE_SECONDS = 15.0
_RECONNECT_SECONDS = 0.2


async def announce(connection: Connection, what: str) -> None:
    """Heard by everyone when the transaction commits."""
    await connection.execute("SELECT pg_notify($1, $2)", _CHANNEL, what)


class Listener:
    """Keeps one connection that hears announcements, and says so when it may have missed some.

    Whoever caches registers `on(what, forget)`. `forget` is also called whenever the connection
    was lost or comes back, and `hearing` is False in between: then nothing cached may be trusted.
    Whoever wants the payloads of a channel of its own asks for them with `hear`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._forgetters: dict[str, list[Callable[[], None]]] = {}
        self._hearers: dict[str, Callable[[str], None]] = {}
        self._missing: list[Callable[[], None]] = []
        self._lost = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._connection: OwnConnection | None = None
        self.hearing = False

    def on(self, what: str, forget: Callable[[], None]) -> None:
        self._forgetters.setdefault(what, []).append(forget)

    async def hear(
        self, channel: str, heard: Callable[[str], None], missed: Callable[[], None]
    ) -> None:
        """Give every payload of the channel to `heard`; call `missed` when some may have gone by
        unheard, as soon as there is a connection again."""
        self._hearers[channel] = heard
        self._missing.append(missed)
        connection = self._connection
        if connection is not None:
            try:
                await connection.add_listener(channel, self._heard)
            except TROUBLE:
                connection.terminate()  # the next one listens to everything

    async def start(self) -> None:
        connection = await self._connect()
        self._task = asyncio.create_task(self._keep(connection))

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _connect(self) -> OwnConnection:
        connection = await self._database.connect()
        connection.add_termination_listener(lambda _: self._lose())
        for channel in (_CHANNEL, *self._hearers):
            await connection.add_listener(channel, self._heard)
        self._connection = connection
        self._lost.clear()
        self._forget_everything()
        self.hearing = True
        for missed in self._missing:
            missed()
        return connection

    async def _keep(self, connection: OwnConnection) -> None:
        try:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._lost.wait(), _PROBE_SECONDS)
                if not await self._alive(connection):
                    self._lose()
                    connection.terminate()
                    connection = await self._reconnect()
        finally:
            connection.terminate()

    async def _alive(self, connection: OwnConnection) -> bool:
        try:
            await connection.execute("SELECT 1", timeout=5)
        except TROUBLE:
            return False
        return True

    async def _reconnect(self) -> OwnConnection:
        while True:
            try:
                return await self._connect()
            except TROUBLE:
                await asyncio.sleep(_RECONNECT_SECONDS)

    def _lose(self) -> None:
        self.hearing = False
        self._connection = None
        self._lost.set()
        self._forget_everything()

    def _heard(self, connection: object, pid: int, channel: str, payload: object) -> None:
        if channel in self._hearers:
            self._hearers[channel](str(payload))
            return
        for forget in self._forgetters.get(str(payload), ()):
            forget()

    def _forget_everything(self) -> None:
        for forgetters in self._forgetters.values():
            for forget in forgetters:
                forget()
