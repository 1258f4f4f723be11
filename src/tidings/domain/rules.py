"""Conditions on data, written in JSON-logic as the query editor makes them.

A rule holds or it does not: whatever the rule or the data look like, nothing is raised. An operator
that is not known, or that gets something it cannot use, does not hold.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain import comparisons

Data = Mapping[str, Any]
Render = Callable[[str], str]

_DEEPEST = 32
_MOST_PARTS = 2_000


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

    def step(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > _DEEPEST:
            raise _TooLargeError


class _TooLargeError(Exception):
    pass


def evaluate(
    rule: Any, data: Data, *, now: datetime | None = None, render: Render | None = None
) -> bool:
    """Whether the rule holds. An empty rule does.

    `now` is what relative dates count from; without it they do not hold. `render` turns a text
    with Liquid in it into its value.
    """
    return _verdict(rule, _State(data, now, render))


def explain(
    rule: Any, data: Data, *, now: datetime | None = None, render: Render | None = None
) -> list[Leaf]:
    """The comparisons that were made on the way to the outcome, in order."""
    state = _State(data, now, render)
    _verdict(rule, state)
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


def _verdict(rule: Any, state: _State) -> bool:
    """A rule beyond the limits does not hold, whatever its parts say."""
    try:
        return _holds(rule, state, 0)
    except _TooLargeError:
        return False


def _holds(rule: Any, state: _State, depth: int) -> bool:
    state.step(depth)
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
    compare = comparisons.OPERATORS.get(operator)
    holds = False
    if operator in comparisons.RELATIVE:
        holds = comparisons.relative(operator, values, state.now)
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
            return comparisons.MISSING
    if isinstance(part, list):
        return [
            _value(item, state) if _path(item) is not None else item
            for item in part[: comparisons.LONGEST]
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
                return comparisons.MISSING
            data = data[int(name)]
        else:
            return comparisons.MISSING
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
    return None if value is comparisons.MISSING else value


OPERATORS = frozenset((*comparisons.OPERATORS, *comparisons.RELATIVE, "and", "or", "!", "!!"))
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
    if operator in comparisons.RELATIVE:
        return _check_span(path, values[0] if values else None)
    if operator in ("between", "notBetween") and _bounds(arguments) != 2:
        return [f"'{path}' needs two values, from and to."]
    return []


def _check_span(path: str, span: Any) -> list[str]:
    amount = comparisons.number(span.get("amount")) if isinstance(span, Mapping) else None
    if not isinstance(span, Mapping) or amount is None or amount <= 0:
        return [f"'{path}' needs an amount of time greater than zero."]
    if span.get("unit") not in comparisons.UNITS:
        return [f"'{path}' needs a unit of time: {', '.join(comparisons.UNITS)}."]
    return []


def _bounds(arguments: list[Any]) -> int:
    if len(arguments) != 2:
        return len(arguments) - 1
    return len(comparisons.choices(arguments[1]) or ()) if _path(arguments[1]) is None else 2
