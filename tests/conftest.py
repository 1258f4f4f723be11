"""A real PostgreSQL for every test: one server for the whole run, one fresh database per test."""

import asyncio
import base64
import functools
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import httpx
import httpx._transports.default as httpx_transport
import hypothesis
import pytest
from litestar.types import ASGIApp

from tests.doors import open_doors
from tidings.actions import bootstrap, keys
from tidings.actions.accepting import Accepter
from tidings.api.auth import KeyRing
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.clock import ManualClock, SystemClock
from tidings.domain.environments import DEVELOPMENT, PRODUCTION
from tidings.domain.scope import Scope
from tidings.engine import queue
from tidings.ids import Ids
from tidings.providers.delivery import Network
from tidings.settings import Settings
from tidings.storage import environments, migrate
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.storage.embedded import EmbeddedPostgres
from tidings.storage.secrets import Sealer
from tidings.world import World

TEST_KEY = bytes(range(32))
TEST_KEY_TEXT = base64.b64encode(TEST_KEY).decode()
API_KEY = "test-key-of-the-development-environment"
OTHER_KEY = "test-key-of-the-production-environment"
_TEMPLATE = "tidings_template"
_LONG = ("flows/", "browser/")
_TEMPORARY = "PYTEST_DEBUG_TEMPROOT"
_ROOM = 2 * 1024**3
# Autovacuum runs as superuser, so a database it works on could not be dropped by our role.
_QUICK = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}

# Every client reads all certificate authorities anew, which takes 45 ms.
httpx_transport.create_ssl_context = functools.cache(httpx.create_ssl_context)  # type: ignore[attr-defined]

# How long something takes is measured in bench/, not tested.
hypothesis.settings.register_profile(
    "patient",
    hypothesis.settings.default,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("patient")


def make_world(clock: ManualClock | SystemClock | None = None) -> World:
    clock = clock or SystemClock()
    return World(
        clock=clock,
        ids=Ids(clock),
        sealer=Sealer(lambda: [TEST_KEY]),
        allowed_references=Settings().credential_references,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have all temporary files in memory, where there is room: a database is made for every test,
    which takes 15 ms there and 200 on a disk."""
    memory = Path("/dev/shm")
    if _TEMPORARY in os.environ or not memory.is_dir() or shutil.disk_usage(memory).free < _ROOM:
        return
    place = tempfile.mkdtemp(prefix="tidings-tests-", dir=memory)
    os.environ[_TEMPORARY] = place
    config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with those that take the longest: at the end nobody waits for one."""
    items.sort(key=lambda item: not item.path.as_posix().rpartition("/tests/")[2].startswith(_LONG))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """Shared by all test processes: the launcher sees to it that it starts and stops once."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    embedded = EmbeddedPostgres(base / "database", _QUICK)
    embedded.start()
    asyncio.run(_make_template(embedded))
    yield embedded
    embedded.stop()


async def _make_template(server: EmbeddedPostgres) -> None:
    connection = await asyncpg.connect(server.url())
    try:
        await connection.execute("SELECT pg_advisory_lock(1)")
        if await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", _TEMPLATE):
            return
        await connection.execute(f"CREATE DATABASE {_TEMPLATE}_draft")
        url = server.url(f"{_TEMPLATE}_draft")
        await migrate.migrate(url)
        database = await Database.open(url, 2)
        await queue.install(database)
        async with database.transaction() as tx:
            await bootstrap.first_environments(tx, make_world())
            await bootstrap.first_key(tx, make_world(), API_KEY)
            production = await environments.named(tx, PRODUCTION)
            scope = Scope(production.organization_id, production.id)
            await keys.create(tx, scope, make_world(), "Test", OTHER_KEY)
        await database.close()
        await connection.execute(f"ALTER DATABASE {_TEMPLATE}_draft RENAME TO {_TEMPLATE}")
    finally:
        await connection.close()


async def _create(server: EmbeddedPostgres, template: str) -> str:
    name = f"test_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(server.url())
    try:
        await connection.execute("SELECT pg_advisory_lock_shared(2)")
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    finally:
        await connection.close()
    return server.url(name)


async def _drop(server: EmbeddedPostgres, url: str) -> None:
    connection = await asyncpg.connect(server.url())
    try:
        name = url.split("@/")[1].split("?")[0]
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await connection.close()


@pytest.fixture
async def empty_url(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """A database without any of our tables."""
    url = await _create(server, "template0")
    yield url
    await _drop(server, url)


@pytest.fixture
async def url(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """A migrated database with the two first environments and a known key for each."""
    url = await _create(server, _TEMPLATE)
    yield url
    await _drop(server, url)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    database = await Database.open(url)
    yield database
    await database.close()


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
async def scope(database: Database) -> Scope:
    return await _scope(database, DEVELOPMENT)


@pytest.fixture
async def other_scope(database: Database) -> Scope:
    return await _scope(database, PRODUCTION)


async def _scope(database: Database, name: str) -> Scope:
    async with database.connection() as connection:
        found = await environments.named(connection, name)
    return Scope(found.organization_id, found.id)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path))


@pytest.fixture
async def network(settings: Settings) -> AsyncIterator[Network]:
    """The real ways out, which may reach this machine only."""
    network = Network.guarded((), True, settings.credential_references)
    yield network
    await network.close()


@pytest.fixture
async def parts(
    settings: Settings, database: Database, world: World, network: Network
) -> AsyncIterator[Parts]:
    listener = Listener(database)
    key_ring = KeyRing(database, listener, world.clock)
    health = Health(database, world.clock, None, queue.state)
    accepter = Accepter(database, world, Catalog(database, listener), queue.wake)
    await listener.start()
    yield Parts(settings, world, health, key_ring, network, accepter, listener)
    await accepter.close()
    await listener.stop()


def caller_of(door: ASGIApp, key: str | None = API_KEY) -> httpx.AsyncClient:
    """A client that speaks to the door without a socket in between."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(door, raise_app_exceptions=False),  # type: ignore[arg-type]
        base_url="http://tidings.test",
        headers={} if key is None else {"Authorization": f"ApiKey {key}"},
    )


@pytest.fixture
async def client(parts: Parts) -> AsyncIterator[httpx.AsyncClient]:
    """A caller with the Development key."""
    async with caller_of(open_doors(parts)) as client:
        yield client
