"""The whole service, doors and engine, in a thread of its own for a real browser to visit."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
import uvloop

from tests.doors import open_doors
from tidings.actions.accepting import Accepter
from tidings.api.auth import KeyRing
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.app import make_sockets
from tidings.dialect import Dialect
from tidings.engine import queue
from tidings.engine.worker import Worker
from tidings.foundation import make_network, make_world
from tidings.settings import Settings
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database


@contextmanager
def running(url: str, settings: Settings) -> Iterator[str]:
    """Answers at the address it hands out until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    loop = uvloop.new_event_loop()
    ready, stop = threading.Event(), asyncio.Event()
    thread = threading.Thread(
        target=loop.run_until_complete, args=(_serve(url, settings, listening, ready, stop),)
    )
    thread.start()
    try:
        assert ready.wait(30)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        loop.close()
        listening.close()


async def _serve(
    url: str,
    settings: Settings,
    listening: socket.socket,
    ready: threading.Event,
    stop: asyncio.Event,
) -> None:
    world, network = make_world(settings), make_network(settings)
    database = await Database.open(url, 8)
    listener = Listener(database)
    worker = Worker(database, world, Dialect(settings.dialect), network)
    accepter = Accepter(database, world, Catalog(database, listener), queue.wake, worker.nudge)
    parts = Parts(
        settings,
        world,
        Health(database, world.clock, worker.id, queue.state),
        KeyRing(database, listener, world.clock),
        network,
        accepter,
        listener,
    )
    sockets = make_sockets(parts)
    doors = open_doors(parts, sockets)
    server = _Server(uvicorn.Config(doors, lifespan="off", log_config=None, ws="websockets-sansio"))
    await listener.start()
    await sockets.start()
    await worker.start()
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    ready.set()
    await stop.wait()
    await sockets.stop()
    server.should_exit = server.force_exit = True
    await serving
    await worker.stop(5)
    await accepter.close()
    await listener.stop()
    await network.close()
    await database.close()


class _Server(uvicorn.Server):
    """Leaves signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
