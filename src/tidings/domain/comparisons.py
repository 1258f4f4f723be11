"""What the operators of conditions mean. Each answers yes or no; what it cannot use is a no.

Comparison (== != < <= > >=) follows the public system: two booleans, or texts spelling them, are
compared as booleans; else two numbers, or texts spelling them, as numbers; else two texts that are
dates as moments. What is left is never smaller or greater, and equal only if the same.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

LONGEST = 10_000
"""Items of a list that are looked at."""

UNITS = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    "months": timedelta(days=30),
    "years": timedelta(days=365),
}
TOLERANCES = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(days=1),
    "months": timedelta(days=1),
    "years": timedelta(weeks=1),
}


class Missing:
    """What a path that leads nowhere finds; not the same as null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()


def _boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if not isinstance(value, str) or not value.strip() or len(value) > 40:
        return None
    try:
        read = float(value)
    except ValueError:
        return None
    return read if math.isfinite(read) and "_" not in value else None


def moment(value: Any) -> datetime | None:
    """A text in ISO 8601, a moment, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, datetime):
            found = value
        elif isinstance(value, str) and 8 <= len(value) <= 40:
            found = datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _alike(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Both values as booleans, numbers or moments, whichever fits both first."""
    for reading in (_boolean, number):
        pair = reading(left), reading(right)
        if pair[0] is not None and pair[1] is not None:
            return pair
    if isinstance(left, str) and isinstance(right, str):
        moments = moment(left), moment(right)
        if moments[0] is not None and moments[1] is not None:
            return moments
    return None


def _equal(values: Sequence[Any]) -> bool:
    left, right = values[0], values[1]
    pair = _alike(left, right)
    if pair is not None:
        return bool(pair[0] == pair[1])
    if left is MISSING or right is MISSING:
        return False
    return type(left) is type(right) and bool(left == right)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Sequence[Any]], bool]:
    def compare(values: Sequence[Any]) -> bool:
        if len(values) not in (2, 3):
            return False
        pairs = [_alike(left, right) for left, right in itertools.pairwise(values)]
        return all(pair is not None and test(*pair) for pair in pairs)

    return compare


def _texts(test: Callable[[str, str], bool]) -> Callable[[Sequence[Any]], bool]:
    def compare(values: Sequence[Any]) -> bool:
        left, right = values[0], values[1]
        return isinstance(left, str) and isinstance(right, str) and test(left, right)

    return compare


def _contains(values: Sequence[Any]) -> bool:
    left, right = values[0], values[1]
    if isinstance(left, list):
        return any(_equal((item, right)) for item in left[:LONGEST])
    return isinstance(left, str) and isinstance(right, str) and right in left


def _contains_not(values: Sequence[Any]) -> bool:
    left, right = values[0], values[1]
    usable = isinstance(left, list) or (isinstance(left, str) and isinstance(right, str))
    return usable and not _contains(values)


def _some(values: Sequence[Any]) -> bool | None:
    """Whether the first has any of the second; None when they cannot be compared."""
    left, wanted = values[0], choices(values[1])
    if not isinstance(left, list | str) or wanted is None:
        return None
    return any(_contains((left, item)) for item in wanted)


def _member(values: Sequence[Any]) -> bool | None:
    left, wanted = values[0], values[1]
    if isinstance(wanted, str) and isinstance(left, str) and "," not in wanted:
        return left in wanted
    among = choices(wanted)
    return None if among is None or left is MISSING else any(_equal((left, x)) for x in among)


def choices(value: Any) -> list[Any] | None:
    """A list, or a text with commas as the editor writes one."""
    if isinstance(value, list):
        return value[:LONGEST]
    if isinstance(value, str):
        return [part.strip() for part in value[:LONGEST].split(",")]
    return None


def _within(values: Sequence[Any]) -> bool | None:
    bounds = values[1] if len(values) == 2 else list(values[1:])
    bounds = choices(bounds) if isinstance(bounds, str) else bounds
    if not isinstance(bounds, list) or len(bounds) != 2:
        return None
    actual, low, high = number(values[0]), number(bounds[0]), number(bounds[1])
    if actual is None or low is None or high is None:
        return None
    return low <= actual <= high


def relative(operator: str, values: Sequence[Any], now: datetime | None) -> bool:
    span = values[1] if len(values) > 1 and isinstance(values[1], Mapping) else {}
    amount, unit = number(span.get("amount")), span.get("unit")
    then = moment(values[0]) if values else None
    if now is None or then is None or amount is None or amount <= 0 or unit not in UNITS:
        return False
    try:
        length = amount * UNITS[unit]
        past = now - length
    except OverflowError:
        return False
    verdicts = {
        "moreThanXAgo": then < past,
        "lessThanXAgo": past < then <= now,
        "withinLast": past <= then <= now,
        "notWithinLast": not past <= then <= now,
        "exactlyXAgo": abs(then - past) <= TOLERANCES[unit],
    }
    return verdicts[operator]


RELATIVE = frozenset(("moreThanXAgo", "lessThanXAgo", "withinLast", "notWithinLast", "exactlyXAgo"))
OPERATORS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "=": _equal,
    "==": _equal,
    "===": _equal,
    "!=": lambda values: not _equal(values),
    "!==": lambda values: not _equal(values),
    "<": _ordered(lambda a, b: a < b),
    "<=": _ordered(lambda a, b: a <= b),
    ">": _ordered(lambda a, b: a > b),
    ">=": _ordered(lambda a, b: a >= b),
    "startsWith": _texts(str.startswith),
    "beginsWith": _texts(str.startswith),
    "endsWith": _texts(str.endswith),
    "doesNotBeginWith": _texts(lambda a, b: not a.startswith(b)),
    "doesNotEndWith": _texts(lambda a, b: not a.endswith(b)),
    "contains": _contains,
    "doesNotContain": _contains_not,
    "containsAny": lambda values: _some(values) is True,
    "doesNotContainAny": lambda values: _some(values) is False,
    "in": lambda values: _member(values) is True,
    "notIn": lambda values: _member(values) is False,
    "between": lambda values: _within(values) is True,
    "notBetween": lambda values: _within(values) is False,
    "null": lambda values: values[0] is None,
    "notNull": lambda values: values[0] is not None,
}
