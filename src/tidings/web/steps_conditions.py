"""A condition as groups and lines that a form can ask for, and the JSON-logic that they mean."""

import re
from collections.abc import Mapping
from typing import Any, Union

import msgspec

from tidings.domain.comparisons import RELATIVE, UNITS
from tidings.web.form import Form

OPERATORS: Mapping[str, str] = {
    "==": "is",
    "!=": "is not",
    ">": "is greater than",
    ">=": "is at least",
    "<": "is less than",
    "<=": "is at most",
    "contains": "contains",
    "doesNotContain": "does not contain",
    "startsWith": "starts with",
    "endsWith": "ends with",
    "in": "is one of",
    "notIn": "is none of",
    "between": "is between",
    "notBetween": "is not between",
    "null": "is null",
    "notNull": "is not null",
    "moreThanXAgo": "is longer ago than",
    "lessThanXAgo": "is less long ago than",
    "withinLast": "is within the last",
    "notWithinLast": "is not within the last",
}
"""What a line can say, with its words."""
ONE_SIDED = frozenset(("null", "notNull"))
_LISTS = frozenset(("in", "notIn", "between", "notBetween"))
_TYPED = frozenset(("==", "!=", ">", ">=", "<", "<=", "between", "notBetween"))
_DEEPEST = 4
_SAME = {"=": "==", "===": "==", "!==": "!=", "beginsWith": "startsWith"}


class Line(msgspec.Struct, frozen=True):
    field: str = ""
    operator: str = "=="
    value: str = ""
    unit: str = "days"


class Group(msgspec.Struct, frozen=True):
    join: str = "and"
    parts: tuple[Union["Group", Line], ...] = ()


class TooRichError(Exception):
    """The condition says more than lines and groups can."""


def group(rule: Any) -> Group:
    """The condition as a group. Raises TooRichError."""
    if not rule:
        return Group()
    found = _part(rule, 0)
    return found if isinstance(found, Group) else Group(parts=(found,))


def rule(given: Group) -> dict[str, Any] | None:
    """JSON-logic; None when nothing is asked. Unfinished lines stay, so that they are found."""
    if not given.parts:
        return None
    return {given.join: [_rule(part) for part in given.parts]}


def read(form: Form, prefix: str) -> Group:
    return _read(form, prefix, 0)


def add(given: Group, path: str, part: Group | Line) -> Group:
    """With the part at the end of the group that the path leads to."""
    return _at(
        given, path, lambda inner: msgspec.structs.replace(inner, parts=(*inner.parts, part))
    )


def drop(given: Group, path: str) -> Group:
    parent, _, place = path.rpartition(".")

    def without(inner: Group) -> Group:
        parts = [part for number, part in enumerate(inner.parts) if str(number) != place]
        return msgspec.structs.replace(inner, parts=tuple(parts))

    return _at(given, parent, without)


def _at(given: Group, path: str, change: Any) -> Group:
    if not path:
        changed: Group = change(given)
        return changed
    place, _, rest = path.partition(".")
    parts = [
        _at(part, rest, change) if str(number) == place and isinstance(part, Group) else part
        for number, part in enumerate(given.parts)
    ]
    return msgspec.structs.replace(given, parts=tuple(parts))


def _part(part: Any, depth: int) -> Group | Line:
    if not isinstance(part, Mapping) or len(part) != 1 or depth >= _DEEPEST:
        raise TooRichError
    operator, given = next(iter(part.items()))
    if operator in ("and", "or"):
        if not isinstance(given, list):
            raise TooRichError
        return Group(operator, tuple(_part(each, depth + 1) for each in given))
    operator = _SAME.get(str(operator), str(operator))
    if operator not in OPERATORS:
        raise TooRichError
    arguments = given if isinstance(given, list) else [given]
    if operator in ONE_SIDED and arguments:
        return Line(_field(arguments[0]), operator)
    if len(arguments) != 2:
        raise TooRichError
    return _line(_field(arguments[0]), operator, arguments[1])


def _field(part: Any) -> str:
    if not isinstance(part, Mapping) or set(part) != {"var"} or not isinstance(part["var"], str):
        raise TooRichError
    return str(part["var"])


def _line(field: str, operator: str, value: Any) -> Line:
    if operator in RELATIVE:
        if not isinstance(value, Mapping):
            raise TooRichError
        return Line(field, operator, _text(value.get("amount")), _text(value.get("unit")))
    if isinstance(value, list):
        texts = [_text(each) for each in value]
        if operator not in _LISTS or any("," in text for text in texts):
            raise TooRichError
        return Line(field, operator, ", ".join(texts))
    return Line(field, operator, _text(value))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, str | int | float):
        return "" if value is None else str(value)
    raise TooRichError


def _rule(part: Group | Line) -> dict[str, Any]:
    if isinstance(part, Group):
        return {part.join: [_rule(each) for each in part.parts]}
    field = {"var": part.field.strip().removeprefix("{{").removesuffix("}}").strip()}
    if part.operator in ONE_SIDED:
        return {part.operator: [field]}
    return {part.operator: [field, _value(part)]}


def _value(line: Line) -> Any:
    if line.operator in RELATIVE:
        return {"amount": _typed(line.value), "unit": line.unit}
    typed = line.operator in _TYPED
    if line.operator in _LISTS:
        pieces = [piece.strip() for piece in line.value.split(",") if piece.strip()]
        return [_typed(piece) if typed else piece for piece in pieces] or ""
    return _typed(line.value) if typed else line.value


def _typed(text: str) -> Any:
    """Numbers and truth as such, so that they are stored as what they are."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d{1,9})?", text):
        return float(text) if "." in text else int(text)
    return text


def _read(form: Form, prefix: str, depth: int) -> Group:
    start = re.compile(re.escape(prefix) + r"\.(\d+)\.")
    places = sorted({int(match[1]) for name in form.names() if (match := start.match(name))})
    parts: list[Group | Line] = []
    for place in places if depth < _DEEPEST else ():
        inner = f"{prefix}.{place}"
        if f"{inner}.join" in form:
            parts.append(_read(form, inner, depth + 1))
        else:
            operator, unit = form.get(f"{inner}.operator"), form.get(f"{inner}.unit")
            parts.append(
                Line(
                    form.get(f"{inner}.field").strip(),
                    operator if operator in OPERATORS else "==",
                    form.get(f"{inner}.value").strip(),
                    unit if unit in UNITS else "days",
                )
            )
    return Group("or" if form.get(f"{prefix}.join") == "or" else "and", tuple(parts))
