"""Step filters: conditions over a subscriber and a payload, and what was compared to decide them.

A list of filters holds when any of them holds, or when it is empty. A filter joins its children by
AND or OR; without children it holds. `isNegated` turns its answer around. Values are written as
text and read as the kind of value they meet: number, true or false, moment, or text.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

FilterType = Literal[
    "BOOLEAN", "TEXT", "DATE", "NUMBER", "STATEMENT", "LIST", "MULTI_LIST", "GROUP"
]
Join = Literal["AND", "OR"]
Operator = Literal[
    "LARGER",
    "SMALLER",
    "LARGER_EQUAL",
    "SMALLER_EQUAL",
    "EQUAL",
    "NOT_EQUAL",
    "ALL_IN",
    "ANY_IN",
    "NOT_IN",
    "BETWEEN",
    "NOT_BETWEEN",
    "LIKE",
    "NOT_LIKE",
    "IN",
]
On = Literal["subscriber", "payload"]


class FieldFilterPart(msgspec.Struct, frozen=True, kw_only=True):
    field: str
    """A dotted path: `data.plan`, `items.0.price`."""
    value: str
    operator: Operator
    on: On


class StepFilter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    is_negated: bool
    type: FilterType
    value: Join
    children: tuple[FieldFilterPart, ...]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison, for the explanation of a decision."""

    on: On
    field: str
    operator: Operator
    expected: str
    actual: Any
    """None when there is nothing at that path."""
    passed: bool


class Decision(msgspec.Struct, frozen=True):
    holds: bool
    compared: tuple[Compared, ...] = ()


def decide(filters: Iterable[StepFilter], data: Mapping[On, Mapping[str, Any]]) -> Decision:
    """Whether the filters hold for `{"subscriber": ..., "payload": ...}`, and why."""
    compared: list[Compared] = []
    some = False
    for each in filters:
        some = True
        found = [compare(child, data) for child in each.children]
        compared += found
        joined = all if each.value == "AND" else any
        holds = not found or joined(one.passed for one in found)
        if holds != each.is_negated:
            return Decision(True, tuple(compared))
    return Decision(not some, tuple(compared))


def compare(part: FieldFilterPart, data: Mapping[On, Mapping[str, Any]]) -> Compared:
    actual = at_path(data.get(part.on, {}), part.field)
    return Compared(
        on=part.on,
        field=part.field,
        operator=part.operator,
        expected=part.value,
        actual=actual,
        passed=_OPERATORS[part.operator](actual, part.value),
    )


def at_path(value: Any, path: str) -> Any:
    """What stands at a dotted path; None when the path leads nowhere. A whole path may also be one
    key."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list | tuple) and step.isascii() and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def _equal(actual: Any, expected: str) -> bool:
    """In the kind of the value that was found; a missing value equals only the empty text."""
    if actual is None:
        return expected == ""
    if isinstance(actual, bool):
        return expected.strip().lower() == ("true" if actual else "false")
    if isinstance(actual, int | float):
        number = _number(expected)
        return number is not None and actual == number
    if isinstance(actual, str):
        return actual == expected
    return bool(actual == _listed(expected)) if isinstance(actual, list) else False


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, str], bool]:
    """False unless both are numbers, or both are moments, or both are text."""

    def decide_order(actual: Any, expected: str) -> bool:
        pair = _alike(actual, expected)
        return pair is not None and test(*pair)

    return decide_order


def _alike(actual: Any, expected: str) -> tuple[Any, Any] | None:
    if actual is None or isinstance(actual, bool | list | Mapping):
        return None
    for read in (_number, _moment):
        one, other = read(actual), read(expected)
        if one is not None and other is not None:
            return one, other
    if isinstance(actual, str) and _number(actual) is None and _number(expected) is None:
        return actual, expected
    return None


def _between(actual: Any, expected: str) -> bool | None:
    """None when the question makes no sense: no pair, or nothing that can be ordered."""
    ends = _listed(expected)
    if len(ends) != 2:
        return None
    low, high = (_alike(actual, str(end)) for end in ends)
    if low is None or high is None:
        return None
    return bool(low[1] <= low[0] and high[0] <= high[1])


def _in(actual: Any, expected: str) -> bool:
    """The value is one of those listed; a list holds the value."""
    if isinstance(actual, list):
        return any(_equal(item, expected) for item in actual)
    return actual is not None and any(_equal(actual, str(item)) for item in _listed(expected))


def _any_in(actual: Any, expected: str) -> bool:
    listed = [str(item) for item in _listed(expected)]
    return any(_equal(item, one) for item in _items(actual) for one in listed)


def _all_in(actual: Any, expected: str) -> bool:
    """Every value listed is among those found."""
    listed = [str(item) for item in _listed(expected)]
    items = _items(actual)
    return bool(listed) and all(any(_equal(item, one) for item in items) for one in listed)


def _like(actual: Any, expected: str) -> bool:
    """Contains, whatever the case."""
    if actual is None or isinstance(actual, Mapping):
        return False
    if isinstance(actual, list):
        return any(_like(item, expected) for item in actual)
    return expected.lower() in _text(actual).lower()


_OPERATORS: dict[Operator, Callable[[Any, str], bool]] = {
    "EQUAL": _equal,
    "NOT_EQUAL": lambda actual, expected: not _equal(actual, expected),
    "LARGER": _ordered(lambda one, other: one > other),
    "SMALLER": _ordered(lambda one, other: one < other),
    "LARGER_EQUAL": _ordered(lambda one, other: one >= other),
    "SMALLER_EQUAL": _ordered(lambda one, other: one <= other),
    "BETWEEN": lambda actual, expected: _between(actual, expected) is True,
    "NOT_BETWEEN": lambda actual, expected: _between(actual, expected) is False,
    "IN": _in,
    "NOT_IN": lambda actual, expected: not _in(actual, expected),
    "ANY_IN": _any_in,
    "ALL_IN": _all_in,
    "LIKE": _like,
    "NOT_LIKE": lambda actual, expected: not _like(actual, expected),
}


def _items(actual: Any) -> list[Any]:
    if actual is None:
        return []
    return list(actual) if isinstance(actual, list | tuple) else [actual]


def _listed(expected: str) -> list[Any]:
    """A JSON array, or text separated by commas."""
    if expected.lstrip().startswith("["):
        try:
            decoded = msgspec.json.decode(expected)
        except msgspec.DecodeError:
            decoded = None
        if isinstance(decoded, list):
            return decoded
    return [part.strip() for part in expected.split(",")] if expected.strip() else []


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or not value.isascii():
        return None
    try:
        return int(value)
    except ValueError:
        pass
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number else None


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
