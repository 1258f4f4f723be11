"""Listings by page number, and the query parameters they share."""

from datetime import UTC, datetime
from typing import Annotated, Any

from litestar import Request
from litestar.params import QueryParameter

from tidings.domain.errors import InvalidError
from tidings.hall.query import parsed, whole
from tidings.hall.wire import PageOut
from tidings.storage.newest import DEEPEST

Number = Annotated[float, QueryParameter(name="page", description="Pages to skip.")]
Limit = Annotated[float, QueryParameter(description="Items per page.")]
After = Annotated[
    str | None, QueryParameter(name="after", description="Made at or after this timestamp.")
]
Before = Annotated[
    str | None, QueryParameter(name="before", description="Made at or before this timestamp.")
]


class NumberedPageOut(PageOut, frozen=True, kw_only=True):
    """The frame of every listing by page number."""

    has_more: bool
    page_size: int
    page: int


def window(page: float, limit: float, most: int) -> tuple[int, int, int]:
    """The page, how many items precede it, and how many it has."""
    number, size = whole("page", page, 0, 2**31), whole("limit", limit, 1, most)
    if number * size > DEEPEST:
        text = f"leads past the first {DEEPEST} items; narrow the listing with before"
        raise InvalidError.of("page", text, number)
    return number, number * size, size


def several(request: Request[Any, Any, Any], name: str) -> list[str] | None:
    """All values of a parameter: the key repeated, with `[]`, or once. None when there are none;
    empty ones say nothing."""
    query = parsed(request.scope["query_string"])
    given = [*query.get(name, ()), *query.get(f"{name}[]", ())]
    return [value for value in given if value] or None


def span(after: str | None, before: str | None) -> tuple[datetime | None, datetime | None]:
    first, last = _moment("after", after), _moment("before", before)
    if first and last and first > last:
        raise InvalidError.of("after", "must not be later than before", after)
    return first, last


def _moment(field: str, text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        # A plus sign that was not escaped arrives as a space.
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        text_wanted = "must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z"
        raise InvalidError.of(field, text_wanted, text) from None
