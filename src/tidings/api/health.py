"""Is it alive, is it ready, and how is it doing."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Literal, Protocol

import msgspec
from litestar import Response, get
from litestar.datastructures import State

from tidings import metrics
from tidings.clock import Clock
from tidings.storage import migrate, workers
from tidings.storage.database import AWAY, Connection, Database

ALIVE_FOR = timedelta(seconds=20)


class QueueState(Protocol):
    @property
    def depth(self) -> int: ...
    @property
    def oldest_seconds(self) -> float: ...


class Health(msgspec.Struct, frozen=True):
    """What the health handlers look at."""

    database: Database
    clock: Clock
    worker_id: str | None
    """The engine that runs inside this process, if one does."""
    queue_state: Callable[[Connection], Awaitable[QueueState]]


class LiveOut(msgspec.Struct, frozen=True):
    status: Literal["ok"] = "ok"


class ReadyOut(msgspec.Struct, frozen=True):
    status: Literal["ok", "not ready"]
    checks: dict[str, str]


@get("/health/live", tags=["Health"], summary="Is the process alive")
async def live() -> LiveOut:
    return LiveOut()


@get("/health/ready", tags=["Health"], summary="Can the process do its work")
async def ready(state: State) -> Response[ReadyOut]:
    """Looks at the database, its migrations and the engine's heartbeat. Answers 503 with the reason
    when this process cannot do its work."""
    problems, checks = await _checks(state.health)
    return Response(
        ReadyOut("not ready" if problems else "ok", checks),
        status_code=HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK,
    )


@get("/metrics", tags=["Health"], summary="Figures for Prometheus", media_type="text/plain")
async def figures(state: State) -> Response[bytes]:
    health: Health = state.health
    size, idle = health.database.pool_state()
    gauges = {
        "tidings_pool_connections": ("Database connections open in this process.", float(size)),
        "tidings_pool_idle": ("Database connections idle in this process.", float(idle)),
    }
    try:
        async with health.database.connection() as connection:
            queue = await health.queue_state(connection)
            seen = await workers.seen_since(connection, health.clock.now() - ALIVE_FOR)
    except AWAY:
        gauges["tidings_database_up"] = ("Whether the database answers.", 0.0)
    else:
        gauges |= {
            "tidings_database_up": ("Whether the database answers.", 1.0),
            "tidings_queue_depth": ("Wake-ups waiting.", float(queue.depth)),
            "tidings_oldest_due_seconds": (
                "How long the longest waiting wake-up has waited.",
                queue.oldest_seconds,
            ),
            "tidings_workers": ("Engine processes alive.", float(seen)),
        }
    body, content_type = metrics.exposition(gauges)
    return Response(body, media_type=content_type)


async def _checks(health: Health) -> tuple[bool, dict[str, str]]:
    try:
        async with health.database.connection() as connection:
            at = await migrate.current(connection)
            since = health.clock.now() - ALIVE_FOR
            seen = await workers.seen_since(connection, since, health.worker_id)
    except AWAY as error:
        return True, {"database": f"away: {error or type(error).__name__}"}
    current = at == migrate.head()
    engine = "ok" if seen else "no heartbeat; start `tidings worker`"
    checks = {
        "database": "ok",
        "migrations": "ok" if current else f"at {at}, needs {migrate.head()}: `tidings migrate`",
        "engine": engine,
    }
    return not current or (health.worker_id is not None and not seen), checks


OPEN_HANDLERS = [live, ready, figures]
