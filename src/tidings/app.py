"""Puts the rooms together: settings, then storage, then the engine, then the doors."""

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import uvicorn
from litestar.types import ASGIApp

from tidings import log
from tidings.actions import bootstrap, users
from tidings.actions.accepting import Accepter
from tidings.api import door
from tidings.api.auth import KeyRing
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.dialect import Dialect
from tidings.engine import queue
from tidings.engine.worker import Worker
from tidings.foundation import make_network
from tidings.hall.edge import Edge
from tidings.hall.porter import Porter
from tidings.inbox import door as inbox_door
from tidings.inbox import pages as inbox_pages
from tidings.inbox import socket_io
from tidings.inbox.live import Live
from tidings.inbox.sockets import Sockets
from tidings.inbox.tokens import Tokens
from tidings.providers.delivery import Network
from tidings.settings import Settings
from tidings.storage import migrate
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.web import door as web_door
from tidings.world import World

_NOTE_KEYS_SECONDS = 30.0
_LARGEST_FRAME = 65536
_PING_SECONDS = 50.0
_log = log.get("app")


async def prepare(world: World, database: Database) -> None:
    """Migrate, let the queue make its tables, and make the first environments."""
    async with database.connection() as connection:
        current = await migrate.is_current(connection)
    if not current:
        await asyncio.to_thread(migrate.migrate_apart, database.url)
    await queue.install(database)
    async with database.transaction() as tx:
        await bootstrap.first_environments(tx, world)


async def prepare_key(settings: Settings, world: World, database: Database) -> str | None:
    """The text of the first Development key, when this start made it."""
    given = settings.bootstrap_api_key
    async with database.transaction() as tx:
        made = await bootstrap.first_key(tx, world, given)
        if made is None and given is not None and not await bootstrap.is_known(tx, given):
            _log.warning(
                "bootstrap_api_key_ignored",
                reason="Development already has a key, and this is not a live one of them",
            )
    return made


def make_sockets(parts: Parts) -> Sockets:
    database = parts.health.database
    tokens = Tokens(database, parts.listener, parts.world)
    return Sockets(Live(database, parts.world, parts.listener, tokens), parts.world.clock)


def open_doors(parts: Parts, sockets: Sockets | None = None) -> Edge:
    """`sockets` are started and stopped by whoever gives them; without any, nothing is live."""
    sockets = sockets or make_sockets(parts)
    live = sockets.live
    database = parts.health.database
    visiting = inbox_door.Parts(parts.settings, parts.world, database, live.tokens, live)
    operating = web_door.Parts(
        settings=parts.settings,
        world=parts.world,
        database=database,
        network=parts.network,
        accepter=parts.accepter,
        queue_state=parts.health.queue_state,
    )
    shown = inbox_pages.Parts(parts.settings, parts.world, database, parts.accepter)
    doors: dict[str, ASGIApp] = {
        inbox_door.PREFIX: inbox_door.build(visiting),
        socket_io.PREFIX: sockets.socket_io,
        web_door.PREFIX: web_door.build(operating),
        **dict.fromkeys(inbox_pages.PREFIXES, inbox_pages.build(shown)),
    }
    main = web_door.Threshold(door.build(parts), parts.settings)
    return Edge(Porter(main, doors, sockets))


async def prepare_setup(world: World, database: Database) -> str | None:
    """What the one who makes the dashboard's first account must know; None when there is one."""
    async with database.transaction() as tx:
        return await users.setup_token(tx, world)


class Service:
    """One process that answers requests, runs the engine, or both."""

    def __init__(self, settings: Settings, world: World, database: Database) -> None:
        self._settings = settings
        self._world = world
        self._database = database
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(
        self,
        listening: socket.socket | None,
        engine: bool,
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Serve until told to stop, by signal or by `stop`; then finish what is in hand."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        async with contextlib.AsyncExitStack() as stack:
            network = make_network(self._settings)
            stack.push_async_callback(network.close)
            worker = self._worker(network) if engine else None
            if worker is not None:
                await worker.start()
                stack.push_async_callback(worker.stop, self._settings.stop_seconds)
            if listening is not None:
                await stack.enter_async_context(self._answering(listening, network, worker))
            gc.collect()
            gc.freeze()  # what is loaded by now stays, so the collector need not look at it again
            on_ready()
            await self._stopping.wait()
            _log.info("stopping")

    def _worker(self, network: Network) -> Worker:
        return Worker(self._database, self._world, Dialect(self._settings.dialect), network)

    @asynccontextmanager
    async def _answering(
        self, listening: socket.socket, network: Network, worker: Worker | None
    ) -> AsyncIterator[None]:
        listener = Listener(self._database)
        key_ring = KeyRing(self._database, listener, self._world.clock)
        worker_id, nudge = (worker.id, worker.nudge) if worker else (None, None)
        health = Health(self._database, self._world.clock, worker_id, queue.state)
        catalog = Catalog(self._database, listener)
        accepter = Accepter(self._database, self._world, catalog, queue.wake, nudge)
        parts = Parts(self._settings, self._world, health, key_ring, network, accepter, listener)
        sockets = make_sockets(parts)
        server = make_server(open_doors(parts, sockets), self._settings.stop_seconds)
        await listener.start()
        await sockets.start()
        noting = asyncio.create_task(_note_keys(key_ring))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        serving.add_done_callback(lambda _: self.stop())
        listens = asyncio.create_task(server.listening.wait())
        await asyncio.wait([serving, listens], return_when=asyncio.FIRST_COMPLETED)
        try:
            yield
        finally:
            listens.cancel()
            await sockets.stop()
            server.should_exit = True
            await serving
            noting.cancel()
            await asyncio.gather(noting, return_exceptions=True)
            await accepter.close()
            await key_ring.note_use()
            await listener.stop()


class Server(uvicorn.Server):
    """Leaves signals to us, since uvicorn would raise them again after a graceful stop, and says
    when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(app: ASGIApp, stop_seconds: float) -> Server:
    """Without compression of websockets, whose windows would cost more memory than all the rest of
    a connection."""
    return Server(
        uvicorn.Config(
            app,
            lifespan="off",
            loop="none",
            http="httptools",
            ws="websockets-sansio",
            ws_max_size=_LARGEST_FRAME,
            ws_ping_interval=_PING_SECONDS,
            ws_per_message_deflate=False,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(stop_seconds) or 1,
        )
    )


async def _note_keys(key_ring: KeyRing) -> None:
    while True:
        await asyncio.sleep(_NOTE_KEYS_SECONDS)
        try:
            await key_ring.note_use()
        except Exception as error:
            _log.warning("key_use_not_noted", reason=str(error))
