"""Listings stay on indexes, whatever is asked."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_world
from tests.records import Records, at
from tidings.clock import ManualClock
from tidings.domain.paging import least_id
from tidings.domain.scope import Scope
from tidings.storage import messages, notifications
from tidings.storage.database import Database
from tidings.storage.newest import Question
from tidings.world import World

N = notifications.Filter
M = messages.Filter


async def scanned(database: Database, question: Question, sql: str) -> tuple[set[str], set[str]]:
    """How each table is reached, and by which indexes, when there is no cheap way to scan it."""
    async with database.transaction() as tx:
        await tx.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        await tx.execute("SET LOCAL enable_bitmapscan = off")
        plan = await tx.fetchval(f"EXPLAIN (FORMAT JSON) {sql}", *question.arguments)
    kinds: set[str] = set()
    indexes: set[str] = set()

    def visit(node: dict[str, Any]) -> None:
        if "Relation Name" in node:
            kinds.add(node["Node Type"])
        if "Index Name" in node:
            indexes.add(node["Index Name"])
        for inner in node.get("Plans", ()):
            visit(inner)

    visit(json.loads(plan)[0]["Plan"])
    return kinds, indexes


@pytest.mark.parametrize(
    ("filter", "index"),
    [
        (N(), "notifications_newest"),
        (N(transaction_ids=["a", "b"]), "notifications_transaction"),
        (N(subscriber_ids=["a"]), "notifications_subscriber"),
        (N(workflow_ids=["a"]), "notifications_workflow"),
        (N(channels=["push"]), "notifications_push"),
        (N(channels=["sms", "chat"], severities=["high"]), "notifications_sms"),
        (N(severities=["high", "low"]), "notifications_severity"),
        (N(after=at(1), before=at(2)), "notifications_newest"),
    ],
)
async def test_notifications(
    database: Database, scope: Scope, filter: notifications.Filter, index: str
) -> None:
    question = notifications.asked(scope, filter)
    kinds, indexes = await scanned(database, question, question.page(0, 10))
    assert kinds <= {"Index Scan", "Index Only Scan"}
    assert index in indexes


@pytest.mark.parametrize(
    ("filter", "index"),
    [
        (M(), "messages_newest"),
        (M(transaction_ids=["a", "b"]), "messages_transaction"),
        (M(subscriber_ids=["a"]), "messages_subscriber"),
        (M(channel="sms"), "messages_channel"),
    ],
)
async def test_messages(
    database: Database, scope: Scope, filter: messages.Filter, index: str
) -> None:
    for sql in ("page", "count"):
        question = messages.asked(scope, filter)
        text = question.count() if sql == "count" else question.page(0, 10)
        kinds, indexes = await scanned(database, question, text)
        assert kinds <= {"Index Scan", "Index Only Scan"}
        assert index in indexes or sql == "count"


@given(st.datetimes(min_value=at(1).replace(tzinfo=None), max_value=at(28).replace(tzinfo=None)))
def test_an_identifier_is_not_less_than_its_moment(moment: Any) -> None:
    moment = moment.replace(tzinfo=at(1).tzinfo)
    id = make_world(ManualClock(moment)).ids.new()
    assert least_id(moment) <= id


async def test_a_page_takes_two_questions(database: Database, scope: Scope, world: World) -> None:
    records = Records(database, scope, world)
    workflow = await records.workflow()
    person = await records.subscriber()
    for _ in range(20):
        await records.run(workflow, person, ["completed", "completed"])
    async with database.connection() as connection:
        await notifications.page(connection, scope, N(), 0, 10)  # the driver learns the types
        asked: list[str] = []
        connection.add_query_logger(lambda record: asked.append(record.query))
        found, more = await notifications.page(connection, scope, N(), 0, 10)
        await asyncio.sleep(0)  # the driver tells of the last one a moment later
    assert (len(found), more, len(asked)) == (10, True, 2)
