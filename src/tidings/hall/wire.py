"""The shapes that every answer shares."""

from datetime import datetime
from functools import lru_cache
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

T = TypeVar("T")

_WITH_MICROSECONDS = len("2026-01-31T12:00:00.000000Z")

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Id = Annotated[str, Meta(description="Database identifier: 24 lower-case hex characters.")]


class Out(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A resource as it is answered. A field without a value is left out."""


class PageOut(Out, frozen=True, kw_only=True):
    """One page of a listing: answered as it is in every dialect."""


@lru_cache(4096)
def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`. What the engine does for a set of runs happens at
    one moment, so that most moments of a page are the same few."""
    text: str = msgspec.to_builtins(moment)  # several times quicker than isoformat
    return f"{text[:23]}Z" if len(text) == _WITH_MICROSECONDS else f"{text[:19]}.000Z"


def camel(name: str) -> str:
    """`first_name` as `firstName`."""
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def unless_none(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value
