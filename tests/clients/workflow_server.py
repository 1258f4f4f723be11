"""A real server in the `novu` dialect for the published Python client."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from typing import cast

import pytest
import uvicorn
from novu_py import Novu
from novu_py.utils import BackoffStrategy, RetryConfig

from tests.conftest import API_KEY
from tidings.api.auth import KeyRing
from tidings.api.door import Parts, open_door
from tidings.api.health import Health
from tidings.engine import queue
from tidings.settings import Settings
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.world import World

_NO_RETRIES = RetryConfig("none", BackoffStrategy(1, 1, 1, 1), False)


@pytest.fixture
async def novu_workflow_server(url: str, settings: Settings, world: World) -> AsyncIterator[str]:
    """The address of the server; it has a thread and an event loop of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    started = threading.Event()
    server: list[uvicorn.Server] = []

    async def serve() -> None:
        database = await Database.open(url)
        listener = Listener(database)
        key_ring = KeyRing(database, listener, world.clock)
        health = Health(database, world.clock, None, queue.state)
        spoken = Settings(data_dir=settings.data_dir, dialect="novu")
        door = open_door(Parts(spoken, world, health, key_ring))
        await listener.start()
        config = uvicorn.Config(cast(str, door), lifespan="off", log_config=None, access_log=False)
        server.append(uvicorn.Server(config))
        started.set()
        await server[0].serve(sockets=[listening])
        await listener.stop()
        await database.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    await asyncio.to_thread(started.wait, 10)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server[0].should_exit = True
    await asyncio.to_thread(thread.join, 10)
    listening.close()


@pytest.fixture
def novu(novu_workflow_server: str) -> Novu:
    return Novu(secret_key=API_KEY, server_url=novu_workflow_server, retry_config=_NO_RETRIES)
