"""One page of a listing that is walked by cursor: which one is asked for, and what came back."""

from datetime import datetime
from typing import Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

Order = Literal["id", "created_at", "updated_at"]

MOST_COUNTED = 50_000


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The page after or before the item with that id, in this order; the first page without."""

    after: str | None = None
    before: str | None = None
    including: bool = False
    """Whether the item that the cursor names belongs to the page."""
    limit: int = 10
    order: Order = "id"
    descending: bool = True


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    items: list[T]
    next: str | None
    previous: str | None
    total: int
    """Exact up to MOST_COUNTED."""
    capped: bool


def least_id(moment: datetime) -> str:
    """Identifiers made at that moment, or later, are not less than this."""
    return f"{int(moment.timestamp() * (1 << 24)):014x}" + "0" * 10
