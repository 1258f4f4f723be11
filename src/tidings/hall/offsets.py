"""Listings that are paged by offset, and query parameters as clients send them."""

from typing import Annotated, Any, TypeVar

from litestar import Request
from litestar.params import QueryParameter

from tidings.domain.errors import InvalidError

T = TypeVar("T")

LARGEST_LIMIT = 100

Limit = Annotated[float, QueryParameter(description="Items per page, 1 to 100.")]
Offset = Annotated[float, QueryParameter(description="Items to skip.")]
Many = Annotated[list[T] | None, QueryParameter()]
"""Several values: the key repeated, or with `[]`, or once."""


def limit_of(value: float) -> int:
    return _whole("limit", value, 1, LARGEST_LIMIT)


def offset_of(value: float) -> int:
    return _whole("offset", value, 0, 2**31)


def many(request: Request[Any, Any, Any], name: str, given: list[T] | None) -> list[T]:
    """All the values of a parameter, those under `name[]` too."""
    bracketed = request.query_params.getall(f"{name}[]", [])
    return [*(given or []), *bracketed]


def _whole(field: str, value: float, least: int, most: int) -> int:
    """Numbers may arrive as `2.0`."""
    if not value.is_integer() or not least <= value <= most:
        raise InvalidError.of(field, f"must be a whole number from {least} to {most}", value)
    return int(value)
