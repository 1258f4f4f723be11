"""A real HTTP server in the `novu` dialect, for published clients."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from tests.conftest import make_world

from tidings.actions.accepting import Accepter
from tidings.api.auth import KeyRing
from tidings.api.door import Parts, open_door
from tidings.api.health import Health
from tidings.engine import queue
from tidings.providers.delivery import Network
from tidings.settings import Settings
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database


@pytest.fixture
def novu_server(url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a server over the test's database."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = _Server(url, Settings(data_dir=str(tmp_path), dialect="novu"), listening)
    server.start()
    server.ready.wait()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.stop()
    server.join()
    listening.close()


class _Server(threading.Thread):
    def __init__(self, url: str, settings: Settings, listening: socket.socket) -> None:
        super().__init__()
        self.ready = threading.Event()
        self._url = url
        self._settings = settings
        self._listening = listening
        self._server: uvicorn.Server | None = None

    def run(self) -> None:
        asyncio.run(self._serve())

    def stop(self) -> None:
        assert self._server is not None
        self._server.should_exit = True

    async def _serve(self) -> None:
        world = make_world()
        database = await Database.open(self._url)
        listener = Listener(database)
        key_ring = KeyRing(database, listener, world.clock)
        health = Health(database, world.clock, None, queue.state)
        network = Network.guarded((), True, self._settings.credential_references)
        accepter = Accepter(database, world, Catalog(database, listener), queue.wake)
        door = open_door(Parts(self._settings, world, health, key_ring, network, accepter))
        await listener.start()
        self._server = uvicorn.Server(
            uvicorn.Config(door, lifespan="off", log_config=None, access_log=False)
        )
        self.ready.set()
        try:
            await self._server.serve(sockets=[self._listening])
        finally:
            await accepter.close()
            await network.close()
            await listener.stop()
            await database.close()
