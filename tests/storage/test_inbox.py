"""The questions of an inbox stay on indexes of the subscriber."""

import json
from typing import Any

import pytest

from tests import seeds
from tidings.domain.inbox import Filter
from tidings.domain.scope import Scope
from tidings.storage import inbox, inbox_counts
from tidings.storage.database import Database


class Explained:
    """A connection that notes by which indexes messages are reached."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.indexes: set[str] = set()

    async def _explain(self, sql: str, arguments: tuple[Any, ...]) -> None:
        plan = await self._connection.fetchval(f"EXPLAIN (FORMAT JSON) {sql}", *arguments)
        self._visit(json.loads(plan)[0]["Plan"])

    def _visit(self, node: dict[str, Any]) -> None:
        kind = node["Node Type"]
        ours = node.get("Relation Name") == "messages" or kind == "Bitmap Index Scan"
        if ours and kind != "Bitmap Heap Scan":
            self.indexes.add(node.get("Index Name", kind))
        for inner in node.get("Plans", ()):
            self._visit(inner)

    async def fetch(self, sql: str, *arguments: Any) -> Any:
        await self._explain(sql, arguments)
        return await self._connection.fetch(sql, *arguments)

    async def fetchval(self, sql: str, *arguments: Any) -> Any:
        await self._explain(sql, arguments)
        return await self._connection.fetchval(sql, *arguments)


@pytest.fixture
async def crowded(database: Database, scope: Scope) -> str:
    """A subscriber with many messages among many others; one message is unread."""
    id = await seeds.add_message(database, scope, "ada")
    columns = (
        "organization_id, environment_id, notification_id, event_id, transaction_id, workflow_id, "
        "step_id, channel, status, content, updated_at"
    )
    async with database.connection() as connection:
        await connection.execute(
            f"INSERT INTO messages (id, job_id, subscriber_id, created_at, seen, read, {columns}) "
            "SELECT 'm' || n, 'j' || n, CASE WHEN n % 10 = 0 THEN 'ada' ELSE 's' || n % 500 END, "
            f"created_at - n * interval '1 minute', true, true, {columns} "
            "FROM messages, generate_series(1, 20000) AS n WHERE id = $1",
            id,
        )
        await connection.execute("ANALYZE messages")
    return "ada"


async def test_the_list_and_the_counts_use_the_indexes_of_the_inbox(
    database: Database, scope: Scope, crowded: str
) -> None:
    async with database.connection() as connection:
        explained: Any = Explained(connection)
        page = await inbox.page(explained, scope, crowded, Filter(archived=False), 10)
        await inbox.page(explained, scope, crowded, Filter(), 10, after=page.items[-1].id)
        assert explained.indexes <= {"messages_inbox", "messages_subscriber", "messages_pkey"}
        assert (len(page.items), page.more) == (10, True)
        explained.indexes.clear()
        counted = (await inbox_counts.of(explained, [crowded]))[crowded]
        assert (counted.unread.total, counted.unseen) == (1, 1)
        bell = [Filter(read=False, archived=False, severities=(each,)) for each in ("high", "none")]
        assert await inbox.counts(explained, scope, crowded, bell) == [0, 1]
        assert len((await inbox.page(explained, scope, crowded, Filter(read=False), 10)).items) == 1
        assert explained.indexes == {"messages_unread"}
