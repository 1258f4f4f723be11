"""Conditions on data, written in JSON-logic as the query editor makes them.

A rule holds or it does not: whatever the rule or the data look like, nothing is raised. An operator
that is not known, or that gets something it cannot use, does not hold.

Comparison (== != < <= > >=) follows the public system: two booleans, or texts spelling them, are
compared as booleans; else two numbers, or texts spelling them, as numbers; else two texts that are
dates as moments. What is left is never smaller or greater, and equal only if the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

Data = Mapping[str, Any]
Render = Callable[[str], str]

_DEEPEST = 32
_MOST_PARTS = 2_000
_LONGEST = 10_000

_UNITS = {
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    "months": timedelta(days=30),
    "years": timedelta(days=365),
}
_TOLERANCES = {
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


class Leaf(msgspec.Struct, frozen=True):
    """One comparison: what was found at the path, what it was held against, and the outcome."""

    operator: str
    path: str | None
    actual: Any
    expected: Any
    holds: bool


class _State:
    """Counts the parts looked at, and gathers the leaves for an explanation."""

    def __init__(self, data: Data, now: datetime | None, render: Render | None) -> None:
        self.data = data
        self.now = now
        self.render = render
        self.left = _MOST_PARTS
        self.leaves: list[Leaf] = []

    def exhausted(self) -> bool:
        self.left -= 1
        return self.left < 0


def evaluate(
    rule: Any, data: Data, *, now: datetime | None = None, render: Render | None = None
) -> bool:
    """Whether the rule holds. An empty rule does.

    `now` is what relative dates count from; without it they do not hold. `render` turns a text
    with Liquid in it into its value.
    """
    return _holds(rule, _State(data, now, render), 0)


def explain(
    rule: Any, data: Data, *, now: datetime | None = None, render: Render | None = None
) -> list[Leaf]:
    """The comparisons that were made on the way to the outcome, in order."""
    state = _State(data, now, render)
    _holds(rule, state, 0)
    return state.leaves


def check(rule: Any) -> list[str]:
    """What is wrong with a rule, in sentences; empty when nothing is."""
    problems: list[str] = []
    _check(rule, 0, problems, [_MOST_PARTS])
    return list(dict.fromkeys(problems))


def variables(rule: Any) -> list[str]:
    """The paths a rule looks at, in order of appearance."""
    found: dict[str, None] = {}
    waiting: list[tuple[Any, int]] = [(rule, 0)]
    left = _MOST_PARTS
    while waiting and left:
        left -= 1
        part, depth = waiting.pop()
        path = _path(part)
        if path is not None:
            found.setdefault(path)
        elif depth < _DEEPEST:
            inner = list(part.values()) if isinstance(part, Mapping) else _list(part)
            waiting.extend((item, depth + 1) for item in reversed(inner))
    return list(found)


def _holds(rule: Any, state: _State, depth: int) -> bool:
    if depth > _DEEPEST or state.exhausted():
        return False
    if not isinstance(rule, Mapping):
        return _true(_value(rule, state))
    if not rule:
        return True
    if len(rule) != 1:
        return False
    operator, given = next(iter(rule.items()))
    if operator in ("and", "or"):
        verdicts = (_holds(part, state, depth + 1) for part in _list(given))
        return all(verdicts) if operator == "and" else any(verdicts)
    if operator in ("!", "!!"):
        inner = given[0] if isinstance(given, list) and given else given
        verdict = _holds(inner, state, depth + 1) if not _is_empty(inner) else False
        return not verdict if operator == "!" else verdict
    if operator == "var":
        return _true(_value(rule, state))
    return _leaf(str(operator), _arguments(given), state)


def _leaf(operator: str, arguments: list[Any], state: _State) -> bool:
    values = [_value(argument, state) for argument in arguments]
    compare = _OPERATORS.get(operator)
    holds = False
    if operator in _RELATIVE:
        holds = _relative(operator, values, state.now)
    elif compare is not None:
        try:
            holds = compare(values)
        except (TypeError, ValueError, OverflowError, RecursionError, IndexError):
            holds = False
    path = next((path for part in arguments if (path := _path(part)) is not None), None)
    actual = values[0] if values else None
    expected = values[1] if len(values) == 2 else values[1:]
    state.leaves.append(Leaf(operator, path, _shown(actual), _shown(expected), holds))
    return holds


def _value(part: Any, state: _State) -> Any:
    """A written value, what stands at a path, or what a text with Liquid comes to."""
    path = _path(part)
    if path is not None:
        return find(state.data, path)
    if isinstance(part, str) and "{{" in part and state.render is not None:
        try:
            return state.render(part)
        except Exception:
            return MISSING
    if isinstance(part, list):
        return [
            _value(item, state) if _path(item) is not None else item for item in part[:_LONGEST]
        ]
    return part


def find(data: Any, path: str) -> Any:
    """What stands at `payload.items[0].name` or `payload.items.0.name`."""
    if not path:
        return data
    for name in path.replace("[", ".").replace("]", "").split(".")[:_DEEPEST]:
        if isinstance(data, Mapping) and name in data:
            data = data[name]
        elif isinstance(data, list) and name.isascii() and name.isdigit() and len(name) < 9:
            if int(name) >= len(data):
                return MISSING
            data = data[int(name)]
        else:
            return MISSING
    return data


def _path(part: Any) -> str | None:
    if not isinstance(part, Mapping) or len(part) != 1 or "var" not in part:
        return None
    name = part["var"]
    if isinstance(name, list) and name:
        name = name[0]
    return str(name) if isinstance(name, str | int) and not isinstance(name, bool) else None


def _arguments(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_empty(value: Any) -> bool:
    return isinstance(value, Mapping) and not value


def _true(value: Any) -> bool:
    return bool(value)


def _shown(value: Any) -> Any:
    return None if value is MISSING else value


def _boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if math.isfinite(value) else None
    if not isinstance(value, str) or not value.strip() or len(value) > 40:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in value else None


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
    for reading in (_boolean, _number):
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
        pairs = [_alike(left, right) for left, right in zip(values, values[1:], strict=False)]
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
        return any(_equal((item, right)) for item in left[:_LONGEST])
    return isinstance(left, str) and isinstance(right, str) and right in left


def _contains_not(values: Sequence[Any]) -> bool:
    left, right = values[0], values[1]
    usable = isinstance(left, list) or (isinstance(left, str) and isinstance(right, str))
    return usable and not _contains(values)


def _some(values: Sequence[Any]) -> bool | None:
    """Whether the first has any of the second; None when they cannot be compared."""
    left, wanted = values[0], _choices(values[1])
    if not isinstance(left, list | str) or wanted is None:
        return None
    return any(_contains((left, item)) for item in wanted)


def _member(values: Sequence[Any]) -> bool | None:
    left, choices = values[0], values[1]
    if isinstance(choices, str) and isinstance(left, str) and "," not in choices:
        return left in choices
    among = _choices(choices)
    return None if among is None or left is MISSING else any(_equal((left, x)) for x in among)


def _choices(value: Any) -> list[Any] | None:
    """A list, or a text with commas as the editor writes one."""
    if isinstance(value, list):
        return value[:_LONGEST]
    if isinstance(value, str):
        return [part.strip() for part in value[:_LONGEST].split(",")]
    return None


def _within(values: Sequence[Any]) -> bool | None:
    bounds = values[1] if len(values) == 2 else list(values[1:])
    bounds = _choices(bounds) if isinstance(bounds, str) else bounds
    if not isinstance(bounds, list) or len(bounds) != 2:
        return None
    number, low, high = _number(values[0]), _number(bounds[0]), _number(bounds[1])
    if number is None or low is None or high is None:
        return None
    return low <= number <= high


def _relative(operator: str, values: Sequence[Any], now: datetime | None) -> bool:
    span = values[1] if len(values) > 1 and isinstance(values[1], Mapping) else {}
    amount, unit = _number(span.get("amount")), span.get("unit")
    then = moment(values[0]) if values else None
    if now is None or then is None or amount is None or amount <= 0 or unit not in _UNITS:
        return False
    try:
        length = amount * _UNITS[unit]
        past = now - length
    except OverflowError:
        return False
    verdicts = {
        "moreThanXAgo": then < past,
        "lessThanXAgo": past < then <= now,
        "withinLast": past <= then <= now,
        "notWithinLast": not past <= then <= now,
        "exactlyXAgo": abs(then - past) <= _TOLERANCES[unit],
    }
    return verdicts[operator]


_RELATIVE = frozenset(
    ("moreThanXAgo", "lessThanXAgo", "withinLast", "notWithinLast", "exactlyXAgo")
)
_OPERATORS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
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
OPERATORS = frozenset((*_OPERATORS, *_RELATIVE, "and", "or", "!", "!!"))
_ONE_SIDED = frozenset(("null", "notNull"))


def _check(rule: Any, depth: int, problems: list[str], left: list[int]) -> None:
    left[0] -= 1
    if depth > _DEEPEST or left[0] < 0:
        problems.append("The condition is too large; make it smaller.")
        return
    if not isinstance(rule, Mapping):
        problems.append("A condition must be an object with one operator.")
        return
    if not rule and depth == 0:
        return
    if len(rule) != 1:
        problems.append("A condition must have exactly one operator.")
        return
    operator, given = next(iter(rule.items()))
    if operator not in OPERATORS:
        problems.append(f"There is no operator '{operator}'.")
    elif operator in ("and", "or"):
        if not isinstance(given, list) or not given:
            problems.append(f"'{operator}' needs a list of conditions.")
        for part in _list(given):
            _check(part, depth + 1, problems, left)
    elif operator in ("!", "!!"):
        _check(given[0] if isinstance(given, list) and given else given, depth + 1, problems, left)
    else:
        problems.extend(_check_leaf(operator, _arguments(given)))


def _check_leaf(operator: str, arguments: list[Any]) -> list[str]:
    path = next((found for part in arguments if (found := _path(part)) is not None), None)
    if path is None:
        return [f'\'{operator}\' needs a field to look at, written as {{"var": "payload.name"}}.']
    if not path.strip():
        return ["Choose the field to look at."]
    if operator in _ONE_SIDED:
        return []
    values = [part for part in arguments if _path(part) is None]
    if len(arguments) < 2 or any(value is None or value == "" for value in values):
        return [f"'{path}' needs a value to be compared with."]
    if operator in _RELATIVE:
        return _check_span(path, values[0] if values else None)
    if operator in ("between", "notBetween") and _bounds(arguments) != 2:
        return [f"'{path}' needs two values, from and to."]
    return []


def _check_span(path: str, span: Any) -> list[str]:
    amount = _number(span.get("amount")) if isinstance(span, Mapping) else None
    if not isinstance(span, Mapping) or amount is None or amount <= 0:
        return [f"'{path}' needs an amount of time greater than zero."]
    if span.get("unit") not in _UNITS:
        return [f"'{path}' needs a unit of time: {', '.join(_UNITS)}."]
    return []


def _bounds(arguments: list[Any]) -> int:
    if len(arguments) != 2:
        return len(arguments) - 1
    return len(_choices(arguments[1]) or ()) if _path(arguments[1]) is None else 2
