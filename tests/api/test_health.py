import httpx
import msgspec

from tests.conftest import caller_of, make_world
from tidings.api.door import Parts
from tidings.api.health import Health
from tidings.app import open_doors
from tidings.dialect import Dialect
from tidings.engine import queue
from tidings.engine.worker import Worker
from tidings.providers.delivery import Network
from tidings.storage.database import Database


async def test_alive_without_a_key(parts: Parts) -> None:
    async with caller_of(open_doors(parts), key=None) as client:
        assert (await client.get("/health/live")).json() == {"status": "ok"}


async def test_ready_without_an_engine_of_its_own(client: httpx.AsyncClient) -> None:
    answer = await client.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["checks"]["database"] == "ok"
    assert "tidings worker" in answer.json()["checks"]["engine"]


async def test_ready_needs_the_heartbeat_of_its_engine(
    parts: Parts, database: Database, network: Network
) -> None:
    world = make_world()
    worker = Worker(database, world, Dialect("svc"), network)
    health = Health(database, world.clock, worker.id, queue.state)
    with_engine = msgspec.structs.replace(parts, world=world, health=health)
    async with caller_of(open_doors(with_engine)) as client:
        silent = await client.get("/health/ready")
        assert silent.status_code == 503
        assert silent.json()["status"] == "not ready"
        await worker.start()
        beating = await client.get("/health/ready")
        assert (beating.status_code, beating.json()["checks"]["engine"]) == (200, "ok")
        await worker.stop(5)
        assert (await client.get("/health/ready")).status_code == 503


async def test_not_ready_before_its_migrations(
    client: httpx.AsyncClient, database: Database
) -> None:
    async with database.connection() as connection:
        await connection.execute("UPDATE alembic_version SET version_num = '0000'")
    answer = await client.get("/health/ready")
    assert answer.status_code == 503
    assert "tidings migrate" in answer.json()["checks"]["migrations"]


async def test_not_ready_without_a_database(client: httpx.AsyncClient, database: Database) -> None:
    database.terminate()
    answer = await client.get("/health/ready")
    assert answer.status_code == 503
    assert "away" in answer.json()["checks"]["database"]
    assert "tidings_database_up 0.0" in (await client.get("/metrics")).text


async def test_figures(client: httpx.AsyncClient) -> None:
    await client.get("/v1/environments")
    await client.get("/v1/nowhere")
    answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    for line in (
        'tidings_http_requests_total{method="GET",route="/v1/environments",status="200"}',
        'tidings_http_requests_total{method="GET",route="unmatched",status="404"}',
        'tidings_http_request_seconds_bucket{le="0.1",method="GET",route="/v1/environments"}',
        "tidings_pool_connections ",
        "tidings_queue_depth 0.0",
        "tidings_oldest_due_seconds 0.0",
        "tidings_workers 0.0",
    ):
        assert line in answer.text
