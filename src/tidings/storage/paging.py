"""Pages by cursor, in one statement: the page, whether anything lies on either side, the total.

Every comparison is on (order column, id), so an index on those columns makes a page cost the same
anywhere in a listing of any length.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from tidings.domain.paging import MOST_COUNTED, Asked, Order, Page
from tidings.storage.database import Connection, Row

T = TypeVar("T")


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What is listed, and where the rows in scope are."""

    columns: str
    """The select list; `id` and the columns of the order are among them."""
    source: str
    """The table, known as `r`, that is filtered and ordered."""
    joins: str = ""
    """What a row needs from other tables: one row of each."""
    where: str
    count: str | None = None
    """A cheaper way to count the rows in scope; taken when there are no further filters."""
    last_change: str = "updated_at"
    """The column that orders by the last change. Identifiers ascend with time, so they order by
    creation."""


async def page(
    connection: Connection,
    listing: Listing,
    asked: Asked,
    scope: Sequence[Any],
    filters: Sequence[tuple[str, Any]],
    read: Callable[[Row], T],
) -> Page[T]:
    """`scope` are the arguments of `listing.where`; `filters` are (column, value) pairs."""
    text = sql(listing, shape(asked), tuple(column for column, _ in filters), len(scope))
    cursor = asked.after or asked.before
    arguments = [*scope, *(value for _, value in filters)]
    rows = await connection.fetch(text, *arguments, *([cursor] if cursor else []))
    return _page(rows, asked, read)


class Shape(msgspec.Struct, frozen=True):
    """All of a question but the values it compares with."""

    order: Order
    descending: bool
    cursor: str | None
    including: bool
    limit: int
    """In the text, since PostgreSQL can plan once for all times only when it knows how many."""


def shape(asked: Asked) -> Shape:
    cursor = "after" if asked.after else "before" if asked.before else None
    including = bool(cursor) and asked.including
    return Shape(asked.order, asked.descending, cursor, including, asked.limit)


@lru_cache(1024)
def sql(listing: Listing, shape: Shape, filters: tuple[str, ...], scope_size: int) -> str:
    order = listing.last_change if shape.order == "updated_at" else "id"
    keys = ("id",) if order == "id" else (order, "id")
    forward = shape.descending == (shape.cursor == "before")
    where = listing.where + "".join(
        f" AND r.{column} = ${scope_size + number}" for number, column in enumerate(filters, 1)
    )
    cursor = f"${scope_size + len(filters) + 1}"
    beyond = ""
    behind = "false"
    if shape.cursor:
        marks = (
            f"(SELECT r.{key} FROM {listing.source} WHERE {listing.where} AND r.id = {cursor})"
            for key in keys
        )
        beyond = f" AND {_compare(keys, forward, marks, shape.including)}"
        firsts = (f"(SELECT {key} FROM page ORDER BY {_by(keys, forward)} LIMIT 1)" for key in keys)
        # Asked in order, so that an index is used and its first entry is the answer.
        behind = (
            f"(SELECT r.id FROM {listing.source} WHERE {where}"
            f" AND {_compare(keys, not forward, firsts, False)}"
            f" ORDER BY {_by([f'r.{key}' for key in keys], not forward)} LIMIT 1) IS NOT NULL"
        )
    counted = (
        listing.count
        if listing.count and not filters
        else f"SELECT count(*) FROM (SELECT FROM {listing.source} WHERE {where} "
        f"LIMIT {MOST_COUNTED + 1}) AS counted"
    )
    return (
        f"WITH page AS (SELECT {listing.columns} FROM {listing.source} {listing.joins}"
        f"WHERE {where}{beyond} ORDER BY {_by([f'r.{key}' for key in keys], forward)} "
        f"LIMIT {shape.limit + 1}) "
        f"SELECT found.total, found.behind, page.* "
        f"FROM (SELECT ({counted}) AS total, {behind} AS behind) AS found "
        f"LEFT JOIN page ON true ORDER BY {_by([f'page.{key}' for key in keys], forward)}"
    )


def _by(keys: Sequence[str], forward: bool) -> str:
    return ", ".join(f"{key} {'ASC' if forward else 'DESC'}" for key in keys)


def _compare(keys: Sequence[str], forward: bool, values: Any, including: bool) -> str:
    sign = (">" if forward else "<") + ("=" if including else "")
    left = ", ".join(f"r.{key}" for key in keys)
    return f"({left}) {sign} ({', '.join(values)})"


def _page(rows: list[Row], asked: Asked, read: Callable[[Row], T]) -> Page[T]:
    total, behind = rows[0]["total"], rows[0]["behind"]
    found = [row for row in rows if row["id"] is not None]
    more = len(found) > asked.limit
    found = found[: asked.limit]
    if asked.before:
        found.reverse()
    follows, precedes = (behind, more) if asked.before else (more, behind)
    return Page(
        items=[read(row) for row in found],
        next=found[-1]["id"] if found and follows else None,
        previous=found[0]["id"] if found and precedes else None,
        total=min(total, MOST_COUNTED),
        capped=total > MOST_COUNTED,
    )
