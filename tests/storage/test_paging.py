"""Pages by cursor against a list in memory: every order, both directions, any cursor."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidings.domain.paging import Asked, Order, Page
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.storage import subscribers
from tidings.storage.database import Connection, Database

START = datetime(2026, 1, 1, tzinfo=UTC)
ORDERS: list[Order] = ["id", "created_at", "updated_at"]


class Item(NamedTuple):
    number: int
    updated: int
    email: str


ITEMS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["a@x.io", "b@x.io"])), max_size=12
).map(lambda rows: [Item(number, *row) for number, row in enumerate(rows)])
WITH_DATABASE = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def id_of(number: int) -> str:
    return f"{number:024x}"


async def fill(connection: Connection, scope: Scope, items: list[Item]) -> None:
    await connection.execute("DELETE FROM subscribers")
    await connection.executemany(
        "INSERT INTO subscribers (id, organization_id, environment_id, key, email, created_at, "
        "updated_at) VALUES ($1, $2, $3, $1, $4, $5, $6)",
        [
            (
                id_of(item.number),
                scope.organization_id,
                scope.environment_id,
                item.email,
                START + timedelta(seconds=item.number),
                START + timedelta(seconds=item.updated),
            )
            for item in items
        ],
    )


def in_order(items: list[Item], asked: Asked) -> list[str]:
    def place(item: Item) -> tuple[int, int]:
        return (item.updated if asked.order == "updated_at" else 0, item.number)

    return [id_of(item.number) for item in sorted(items, key=place, reverse=asked.descending)]


def expected(ids: list[str], matching: list[str], asked: Asked) -> Page[str]:
    """What a page is, told slowly: `ids` is everything in order, `matching` what the filter lets
    through."""
    cursor = asked.after or asked.before
    known = cursor is None or cursor in ids
    place = ids.index(cursor) if cursor in ids else 0
    if asked.after:
        pool = [id for id in matching if ids.index(id) >= place + (not asked.including)]
        chosen = pool[: asked.limit]
    elif asked.before:
        pool = [id for id in matching if ids.index(id) <= place - (not asked.including)]
        chosen = pool[max(0, len(pool) - asked.limit) :]
    else:
        chosen = matching[: asked.limit]
    chosen = chosen if known else []
    return Page(
        items=chosen,
        next=chosen[-1] if chosen and chosen[-1] != matching[-1] else None,
        previous=chosen[0] if chosen and chosen[0] != matching[0] else None,
        total=len(matching),
        capped=False,
    )


def ids_only(page: Page[Subscriber]) -> Page[str]:
    return Page(
        items=[item.id for item in page.items],
        next=page.next,
        previous=page.previous,
        total=page.total,
        capped=page.capped,
    )


@given(
    items=ITEMS,
    cursor=st.none() | st.integers(0, 13),
    before=st.booleans(),
    including=st.booleans(),
    limit=st.integers(1, 5),
    order=st.sampled_from(ORDERS),
    descending=st.booleans(),
    email=st.none() | st.just("a@x.io"),
)
@WITH_DATABASE
async def test_any_page_is_the_one_expected(
    database: Database,
    scope: Scope,
    items: list[Item],
    cursor: int | None,
    before: bool,
    including: bool,
    limit: int,
    order: Order,
    descending: bool,
    email: str | None,
) -> None:
    mark = None if cursor is None else id_of(cursor)
    asked = Asked(
        after=None if before else mark,
        before=mark if before else None,
        including=including,
        limit=limit,
        order=order,
        descending=descending,
    )
    async with database.transaction() as connection:
        await fill(connection, scope, items)
        filters = {"email": email} if email else {}
        page = await subscribers.page(connection, scope, asked, filters)
    matching = [item for item in items if email in (None, item.email)]
    assert ids_only(page) == expected(in_order(items, asked), in_order(matching, asked), asked)


@given(
    items=ITEMS,
    limit=st.integers(1, 5),
    order=st.sampled_from(ORDERS),
    descending=st.booleans(),
)
@WITH_DATABASE
async def test_walking_there_and_back_meets_every_row_once(
    database: Database, scope: Scope, items: list[Item], limit: int, order: Order, descending: bool
) -> None:
    asked = Asked(limit=limit, order=order, descending=descending)
    async with database.transaction() as connection:
        await fill(connection, scope, items)
        page = await subscribers.page(connection, scope, asked, {})
        there = [item.id for item in page.items]
        while page.next:
            step = Asked(after=page.next, limit=limit, order=order, descending=descending)
            page = await subscribers.page(connection, scope, step, {})
            there += [item.id for item in page.items]
        back = [item.id for item in page.items]
        while page.previous:
            step = Asked(before=page.previous, limit=limit, order=order, descending=descending)
            page = await subscribers.page(connection, scope, step, {})
            back = [item.id for item in page.items] + back
    assert there == back == in_order(items, asked)


async def test_rows_that_are_added_meanwhile_move_nothing(database: Database, scope: Scope) -> None:
    async with database.transaction() as connection:
        await fill(connection, scope, [Item(number, 0, "a@x.io") for number in range(10, 16)])
        page = await subscribers.page(connection, scope, Asked(limit=3), {})
        await connection.execute(
            "INSERT INTO subscribers (id, organization_id, environment_id, key, created_at, "
            "updated_at) VALUES ($1, $2, $3, 'new', now(), now())",
            id_of(99),
            scope.organization_id,
            scope.environment_id,
        )
        rest = await subscribers.page(connection, scope, Asked(limit=3, after=page.next), {})
    assert [item.id for item in page.items + rest.items] == [
        id_of(number) for number in reversed(range(10, 16))
    ]
    assert (page.total, rest.total) == (6, 7)
