"""How many triggers a second one process accepts, each durable when it is answered."""

import asyncio
import tempfile
import time
from pathlib import Path

import uvloop

from tidings.actions import bootstrap
from tidings.actions.accepting import Accepter, Offer
from tidings.clock import SystemClock
from tidings.domain.environments import DEVELOPMENT
from tidings.domain.events import Event, Recipients
from tidings.domain.scope import Scope
from tidings.engine import queue
from tidings.ids import Ids
from tidings.storage import environments, migrate
from tidings.storage.catalog import Catalog
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.storage.embedded import EmbeddedPostgres
from tidings.storage.idempotency import Kept
from tidings.storage.secrets import Sealer
from tidings.world import World

_CALLERS = 64
_SECONDS = 5.0


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder) / "database")
        url = server.start()
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(_measure(url))
        finally:
            server.stop()


async def _measure(url: str) -> None:
    await migrate.migrate(url)
    database = await Database.open(url)
    await queue.install(database)
    clock = SystemClock()
    world = World(clock=clock, ids=Ids(clock), sealer=Sealer(lambda: [bytes(32)]))
    async with database.transaction() as tx:
        await bootstrap.first_environments(tx, world)
        found = await environments.named(tx, DEVELOPMENT)
    scope = Scope(found.organization_id, found.id)
    accepter = Accepter(database, world, Catalog(database, Listener(database)), queue.wake)
    for keyed in (False, True):
        await _round(accepter, scope, world, keyed)
    await accepter.close()
    await database.close()


async def _round(accepter: Accepter, scope: Scope, world: World, keyed: bool) -> None:
    end = time.monotonic() + _SECONDS
    cpu = time.process_time()
    counts = await asyncio.gather(
        *(_call(accepter, scope, world, keyed, end) for _ in range(_CALLERS))
    )
    total, used = sum(counts), time.process_time() - cpu
    label = "with an idempotency key" if keyed else "without a key"
    print(
        f"accepted {label:<24} {total / _SECONDS:8.0f} /s   "
        f"{used / total * 1e6:5.0f} µs of Python CPU each ({_CALLERS} callers)"
    )


async def _call(accepter: Accepter, scope: Scope, world: World, keyed: bool, end: float) -> int:
    count = 0
    while time.monotonic() < end:
        id = world.ids.new()
        event = Event(
            id=id,
            transaction_id=f"txn_{id}",
            workflow_id="0" * 24,
            workflow_version=1,
            recipients=Recipients(({"subscriberId": "ada"},)),
            payload={"name": "Ada", "items": [1, 2, 3], "text": "x" * 200},
            overrides={},
            created_at=world.clock.now(),
        )
        answer = Kept(b"f" * 16, 201, "application/json", b"x" * 90) if keyed else None
        digest = bytes.fromhex(id) if keyed else None
        await accepter.accept(Offer(scope=scope, events=[event], digest=digest, answer=answer))
        count += 1
    return count
