"""Reads query parameters the way clients send them: `2.0` for 2, cursors, orders."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Literal
from urllib.parse import parse_qsl

from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter

from tidings.domain.errors import InvalidError
from tidings.domain.paging import Asked, Order
from tidings.hall.wire import PageOut

Query = Mapping[str, list[str]]
_ORDERS: dict[str, Order] = {"_id": "id", "createdAt": "created_at", "updatedAt": "updated_at"}
DEFAULT_LIMIT = 10
LARGEST_LIMIT = 100


@lru_cache(1024)
def parsed(text: bytes) -> Query:
    """A query string: all values of each parameter."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(text.decode("latin-1"), keep_blank_values=True, separator="&"):
        found.setdefault(name, []).append(value)
    return found


def whole(field: str, value: float, least: int, most: int) -> int:
    """A number of the query that must be whole, however it is written."""
    if not value.is_integer() or not least <= value <= most:
        raise InvalidError.of(field, f"must be a whole number from {least} to {most}", value)
    return int(value)


def asked(
    after: Annotated[
        str | None, QueryParameter(description="Answer what follows the item with this `_id`.")
    ] = None,
    before: Annotated[
        str | None, QueryParameter(description="Answer what precedes the item with this `_id`.")
    ] = None,
    limit: Annotated[
        float, QueryParameter(description="Items per page, 1 to 100.")
    ] = DEFAULT_LIMIT,
    order_by: Annotated[
        Literal["_id", "createdAt", "updatedAt"], QueryParameter(name="orderBy")
    ] = "_id",
    order_direction: Annotated[
        Literal["ASC", "DESC"], QueryParameter(name="orderDirection")
    ] = "DESC",
    include_cursor: Annotated[
        bool,
        QueryParameter(
            name="includeCursor", description="Whether the cursor's own item is answered too."
        ),
    ] = False,
) -> Asked:
    if after and before:
        raise InvalidError.of("before", "cannot be combined with after; send one of them", before)
    return Asked(
        after=after or None,
        before=before or None,
        including=include_cursor,
        limit=whole("limit", limit, 1, LARGEST_LIMIT),
        order=_ORDERS[order_by],
        descending=order_direction == "DESC",
    )


PAGED = {"asked": Provide(asked, sync_to_thread=False)}
"""The dependencies of a handler that answers a page by cursor."""

InPage = NamedDependency[Asked]
"""`asked`: which page."""


class CursorPageOut(PageOut, frozen=True, kw_only=True):
    """The frame of every listing by cursor."""

    next: str | None
    previous: str | None
    total_count: int
    total_count_capped: bool
