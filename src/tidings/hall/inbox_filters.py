"""Reads which messages of an inbox are meant, from a query, from a body, or from JSON in a query.

Tags are a list, of which one must be there, or groups of them, of which each must be met: in JSON
`["a", "b"]`, `{"or": [...]}` or `{"and": [{"or": [...]}, ...]}`, in a query `tags[]=a&tags[]=b` or
`tags[0][]=a&tags[1][]=b`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.params import QueryParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.domain.errors import InvalidError
from tidings.domain.inbox import MOST_COUNTS, Filter, Severity
from tidings.hall.pages import several
from tidings.hall.query import whole

LARGEST_LIMIT = 100
_GROUP = re.compile(r"tags\[(\d+)\](\[\d*\])?")
_MOST_GROUPS = 10


class AnyOf(msgspec.Struct, rename={"any_of": "or"}):
    any_of: list[str]


class TagGroups(msgspec.Struct, rename={"any_of": "or", "all_of": "and"}):
    any_of: list[str] | UnsetType = UNSET
    all_of: list[AnyOf] | UnsetType = UNSET


Tags = list[str] | TagGroups | None
DataText = str | dict[str, Any] | None


class MatchingIn(msgspec.Struct, kw_only=True, rename="camel"):
    """Which messages a change of many concerns; without anything, all of them."""

    tags: Annotated[
        Tags, Meta(description='A list, `{"or": [...]}` or `{"and": [{"or": [...]}, ...]}`.')
    ] = None
    data: Annotated[
        DataText, Meta(description="JSON text of an object whose values the data must have.")
    ] = None
    context_keys: list[str] | None = None

    def filter(self, **more: Any) -> Filter:
        return Filter(
            tags=_groups(self.tags),
            data=_data(self.data),
            context_keys=None if self.context_keys is None else tuple(self.context_keys),
            **more,
        )


class SeenIn(MatchingIn, kw_only=True, rename="camel"):
    notification_ids: (
        Annotated[list[str], Meta(max_length=1000, description="Only these; unset: all.")] | None
    ) = None


class CountIn(MatchingIn, kw_only=True, rename="camel"):
    """One filter of a count."""

    read: bool | None = None
    archived: bool | None = None
    snoozed: bool | None = None
    seen: bool | None = None
    severity: Severity | list[Severity] | None = None
    created_gte: float | None = None
    created_lte: float | None = None

    def whole_filter(self) -> Filter:
        given = self.severity
        severities = [] if given is None else given if isinstance(given, list) else [given]
        filter = self.filter(
            read=self.read,
            archived=self.archived,
            snoozed=bool(self.snoozed),
            seen=self.seen,
            severities=tuple(severities),
            created_from=_moment("createdGte", self.created_gte),
            created_until=_moment("createdLte", self.created_lte),
        )
        filter.refuse_nonsense()
        return filter


class Asked(msgspec.Struct, frozen=True):
    """Which page of an inbox."""

    filter: Filter
    said: dict[str, Any]
    """The filter as the answer repeats it."""
    limit: int
    after: str | None
    offset: int


_COUNTS = msgspec.json.Decoder(list[CountIn])
_DATA = msgspec.json.Decoder(dict[str, Any])


def asked(
    request: Request[Any, Any, Any],
    limit: Annotated[float, QueryParameter(description="Items per page, 1 to 100.")] = 10,
    after: Annotated[
        str | None, QueryParameter(description="Answer what follows the item with this id.")
    ] = None,
    offset: Annotated[float, QueryParameter(description="Items to skip.")] = 0,
    tags: Annotated[
        list[str] | None, QueryParameter(description="One of these; `tags[0][]` for groups.")
    ] = None,
    read: Annotated[bool | None, QueryParameter()] = None,
    archived: Annotated[bool | None, QueryParameter()] = None,
    snoozed: Annotated[
        bool | None, QueryParameter(description="What is snoozed must be asked for.")
    ] = None,
    seen: Annotated[bool | None, QueryParameter()] = None,
    held: Annotated[
        str | None,
        QueryParameter(name="data", description="JSON text of values that the data must have."),
    ] = None,
    severity: Annotated[list[Severity] | None, QueryParameter()] = None,
    created_gte: Annotated[
        float | None, QueryParameter(name="createdGte", description="Milliseconds since 1970.")
    ] = None,
    created_lte: Annotated[
        float | None, QueryParameter(name="createdLte", description="Milliseconds since 1970.")
    ] = None,
    context_keys: Annotated[
        list[str] | None, QueryParameter(name="contextKeys", description="Exactly these contexts.")
    ] = None,
) -> Asked:
    groups = _tag_groups(request)
    severities, contexts = several(request, "severity"), several(request, "contextKeys")
    filter = _converted(
        {
            "tags": {"and": [{"or": group} for group in groups]},
            "read": read,
            "archived": archived,
            "snoozed": snoozed,
            "seen": seen,
            "data": held or None,
            "severity": severities,
            "createdGte": created_gte,
            "createdLte": created_lte,
            "contextKeys": contexts,
        }
    )
    said = {
        "tags": groups[0] if len(groups) == 1 else groups or None,
        "read": read,
        "archived": archived,
        "snoozed": snoozed,
        "seen": seen,
        "data": dict(filter.data) or None,
        "severity": severities,
        "createdGte": created_gte,
        "createdLte": created_lte,
    }
    return Asked(
        filter,
        {name: value for name, value in said.items() if value is not None},
        whole("limit", limit, 1, LARGEST_LIMIT),
        after or None,
        whole("offset", offset, 0, 2**31 - 1),
    )


IN_PAGES = {"asked": Provide(asked, sync_to_thread=False)}
"""The dependencies of a handler that answers a page of an inbox."""

InInboxPage = NamedDependency[Asked]
"""`asked`: which page."""


def counts_in(text: str) -> list[tuple[dict[str, Any], Filter]]:
    """The filters of a count, each as it was sent and as it is meant."""
    try:
        said: list[dict[str, Any]] = msgspec.json.decode(text or "[{}]")
        filters = _COUNTS.decode(text or "[{}]")
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidError.of("filters", f"must be a JSON list of filters: {error}", text) from None
    if not 1 <= len(filters) <= MOST_COUNTS:
        raise InvalidError.of("filters", f"must have 1 to {MOST_COUNTS} filters", len(filters))
    return list(zip(said, (each.whole_filter() for each in filters), strict=True))


def _converted(values: Mapping[str, Any]) -> Filter:
    try:
        given = {name: value for name, value in values.items() if value is not None}
        return msgspec.convert(given, CountIn).whole_filter()
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at ")
        field = path.strip("`$").strip(".").split("[")[0] or "query"
        raise InvalidError.of(field, reason, values.get(field)) from None


def _tag_groups(request: Request[Any, Any, Any]) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for name, value in request.query_params.multi_items():
        if (numbered := _GROUP.fullmatch(name)) and numbered[2] is not None and value:
            groups.setdefault(int(numbered[1]), []).append(str(value))
    plain = [
        str(value)
        for name, value in request.query_params.multi_items()
        if value and (name in ("tags", "tags[]") or _is_plain(name))
    ]
    return [*([plain] if plain else []), *(groups[number] for number in sorted(groups))]


def _is_plain(name: str) -> bool:
    """`tags[0]=a&tags[1]=b` is one list."""
    numbered = _GROUP.fullmatch(name)
    return numbered is not None and numbered[2] is None


def _groups(tags: Tags) -> tuple[tuple[str, ...], ...]:
    if tags is None:
        return ()
    groups: Iterable[list[str]]
    if isinstance(tags, list):
        groups = [tags]
    else:
        groups = [
            *([] if tags.any_of is UNSET else [tags.any_of]),
            *([] if tags.all_of is UNSET else (each.any_of for each in tags.all_of)),
        ]
    found = tuple(tuple(group) for group in groups if group)
    if len(found) > _MOST_GROUPS:
        raise InvalidError.of("tags", f"must have at most {_MOST_GROUPS} groups", len(found))
    return found


def _data(data: DataText) -> dict[str, Any]:
    if data is None or data == "":
        return {}
    if isinstance(data, dict):
        return data
    try:
        return _DATA.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise InvalidError.of("data", "must be the JSON text of an object", data) from None


def _moment(field: str, milliseconds: float | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidError.of(
            field, "must be a time in milliseconds since 1970", milliseconds
        ) from None
