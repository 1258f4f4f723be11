"""At a million subscribers every search still goes through an index."""

import itertools
from collections.abc import AsyncIterator
from typing import Any, get_args

import msgspec
import pytest

from tidings.domain.paging import Asked, Order
from tidings.domain.scope import Scope
from tidings.storage import paging, subscribers
from tidings.storage.database import Connection, Database

FILTERS: list[dict[str, str]] = [
    {},
    {"key": "user-777"},
    {"email": "user-777@example.com"},
    {"phone": "+1777"},
    {"full_name": "First777 Last"},
    {"email": "user-777@example.com", "full_name": "First777 Last"},
]


@pytest.fixture
async def million(database: Database, scope: Scope) -> AsyncIterator[Connection]:
    connection = await database.connect()
    await connection.execute(
        "INSERT INTO subscribers (id, organization_id, environment_id, key, first_name, last_name, "
        "email, phone, created_at, updated_at) SELECT lpad(to_hex(n), 24, '0'), $1, $2, "
        "'user-' || n, 'First' || n % 50000, 'Last', 'user-' || n || '@example.com', '+1' || n, "
        "now(), now() + random() * interval '1 day' FROM generate_series(1, 1000000) AS n",
        scope.organization_id,
        scope.environment_id,
        timeout=600,
    )
    await connection.execute("VACUUM ANALYZE subscribers", timeout=600)
    yield connection
    await connection.close()


@pytest.mark.slow
async def test_every_filter_and_order_uses_an_index(million: Connection, scope: Scope) -> None:
    cursor = f"{500_000:024x}"
    cursors: list[dict[str, Any]] = [{}, {"after": cursor}, {"before": cursor}]
    combinations = list(itertools.product(FILTERS, get_args(Order), (True, False), cursors))
    for mode in ("force_custom_plan", "force_generic_plan"):
        await million.execute(f"SET plan_cache_mode = {mode}")
        for filters, order, descending, where in combinations:
            asked = Asked(order=order, descending=descending, **where)
            text = paging.sql(subscribers.LISTING, paging.shape(asked), tuple(filters), 1)
            arguments = [scope.environment_id, *filters.values(), *where.values()]
            plan = await _plan(million, text, arguments)
            scans = set(_scans(plan["Plan"]))
            assert scans, plan
            assert not {scan for scan in scans if "Index" not in scan}, (filters, asked, scans)
            assert _read(plan["Plan"]) < 2000, (filters, asked)


async def _plan(connection: Connection, text: str, arguments: list[Any]) -> dict[str, Any]:
    found = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}", *arguments)
    plan: dict[str, Any] = msgspec.json.decode(found)[0]
    return plan


def _read(node: dict[str, Any]) -> int:
    """How many pages of the table and its indexes the statement looked at."""
    return int(node["Shared Hit Blocks"]) + int(node["Shared Read Blocks"])


def _scans(node: dict[str, Any]) -> list[str]:
    own = [node["Node Type"]] if node.get("Relation Name") == "subscribers" else []
    return own + [scan for child in node.get("Plans", []) for scan in _scans(child)]
