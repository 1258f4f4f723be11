"""A server for real clients: HTTP on a free port, the novu dialect, a known key."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
import uvloop
from novu_py import Novu
from novu_py.utils import BackoffStrategy, RetryConfig

from tests.doors import open_doors
from tidings.actions.accepting import Accepter
from tidings.api.auth import KeyRing
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.engine import queue
from tidings.foundation import make_network, make_world
from tidings.settings import Settings
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database

_TEST_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
_KEYS = {
    "Development": "test-key-of-the-development-environment",
    "Production": "test-key-of-the-production-environment",
}
_NO_RETRIES = RetryConfig("none", BackoffStrategy(1, 1, 1, 1), False)


@pytest.fixture
def address(url: str, settings: Settings) -> Iterator[str]:
    """Answers in a thread of its own until the test is over."""
    listening = socket.create_server(("127.0.0.1", 0))
    loop = uvloop.new_event_loop()
    started, stop = threading.Event(), asyncio.Event()

    async def serve() -> None:
        chosen = Settings(data_dir=settings.data_dir, dialect="novu", encryption_key=_TEST_KEY)
        world, network = make_world(chosen), make_network(chosen)
        database = await Database.open(url, 4)
        listener = Listener(database)
        key_ring = KeyRing(database, listener, world.clock)
        health = Health(database, world.clock, None, queue.state)
        accepter = Accepter(database, world, Catalog(database, listener), queue.wake)
        door = open_doors(Parts(chosen, world, health, key_ring, network, accepter, listener))
        config = uvicorn.Config(door, lifespan="off", log_config=None, ws="none")
        server = _Server(config)
        await listener.start()
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        started.set()
        await stop.wait()
        server.should_exit = True
        await serving
        await accepter.close()
        await listener.stop()
        await network.close()
        await database.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert started.wait(20)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    loop.call_soon_threadsafe(stop.set)
    thread.join(20)
    loop.close()
    listening.close()


class _Server(uvicorn.Server):
    """Leaves signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@pytest.fixture
def novu(address: str) -> Iterator[Novu]:
    """The Novu SDK with the Development key, without retries."""
    with _sdk(address, "Development") as client:
        yield client


@pytest.fixture
def foreign_novu(address: str) -> Iterator[Novu]:
    """The same with the Production key."""
    with _sdk(address, "Production") as client:
        yield client


def _sdk(address: str, environment: str) -> Novu:
    return Novu(secret_key=_KEYS[environment], server_url=address, retry_config=_NO_RETRIES)
