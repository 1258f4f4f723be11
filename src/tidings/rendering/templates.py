"""Liquid templates: rendered, checked and read for their variables.

A path names list positions as numbers: `payload.items[0].name` is `payload.items.0.name`.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any, Literal

import msgspec
from liquid import BoundTemplate
from liquid.builtin.expressions import Filter
from liquid.builtin.expressions.arguments import KeywordArgument
from liquid.builtin.expressions.primitive import FloatLiteral, IntegerLiteral, StringLiteral
from liquid.exceptions import (
    BlockNestingError,
    FilterArgumentError,
    FilterError,
    FilterItemTypeError,
    FilterValueError,
    LiquidError,
    LiquidTypeError,
    OutputStreamLimitError,
    ResourceLimitError,
    UnknownFilterError,
)
from liquid.static_analysis import Segments

from tidings.rendering import language, limits
from tidings.rendering.blanks import Blanks, blanks_of

Kind = Literal["syntax", "unknown_filter", "filter_argument", "limit"]

_KEPT = 20_000_000
"""Rough memory, in characters, of the parsed templates kept for the next time."""
_MARKUP_WEIGHT = 1_000
_NUMBERS = {
    "digest": (0, "the number of names"),
    "json": (0, "spaces"),
    "toSentence": (1, "the limit"),
    "truncate": (0, "the length"),
    "truncatewords": (0, "the number of words"),
    "slice": (0, "the start"),
}
"""Filters with a place where only a number will do."""
_UNCLOSED = re.compile(r"expected tag (end\w+), found end of expression")
_WRONG_ARGUMENT = (
    FilterArgumentError,
    FilterError,
    FilterItemTypeError,
    FilterValueError,
    LiquidTypeError,
)


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with a template, in a sentence a person can act on."""

    message: str
    kind: Kind
    variable: str | None = None
    line: int | None = None


class TemplateError(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Variable(msgspec.Struct, frozen=True):
    """A global variable that a template reads, and the line where it first does."""

    path: str
    line: int


def render(text: str, variables: Mapping[str, Any], *, escape: bool = False) -> str:
    """What is missing renders empty; `escape` makes the values, not the text, safe for HTML."""
    if "{{" not in text and "{%" not in text:
        if len(text) > limits.TEMPLATE_CHARACTERS:
            raise TemplateError(_too_long(text))
        return text
    parsed = _parsed(text, escape)
    if parsed.blanks is not None:
        filled = parsed.blanks.fill(variables)
        if filled is not None:
            return filled
    try:
        return parsed.template.render(variables)
    except Exception as error:
        raise TemplateError(_fault(error, text)) from error


def render_values(value: Any, variables: Mapping[str, Any]) -> Any:
    """The same structure with every text in it rendered. Texts stay texts."""
    try:
        return _render_values(value, variables)
    except RecursionError as error:
        raise TemplateError(_fault(error, "")) from error


def _render_values(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return render(value, variables)
    if isinstance(value, Mapping):
        return {key: _render_values(item, variables) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_render_values(item, variables) for item in value]
    return value


def check(text: str) -> list[Fault]:
    """Faults that show without rendering."""
    try:
        template = _parsed(text, False).template
        found = [_filter_fault(*used, text) for used in language.filters(template.nodes)]
    except TemplateError as error:
        return [error.fault]
    except RecursionError as error:
        return [_fault(error, text)]
    return sorted((fault for fault in found if fault), key=lambda fault: fault.line or 0)


def variables(text: str) -> list[Variable]:
    """Global variables in order of appearance; none when the text does not parse."""
    if "{{" not in text and "{%" not in text:
        return []
    try:
        analysis = _parsed(text, False).template.analyze(include_partials=False)
    except (TemplateError, LiquidError, RecursionError):
        return []
    spots = sorted(
        (found.span.index, _path(found.segments))
        for group in analysis.globals.values()
        for found in group
    )
    first: dict[str, int] = {}
    for index, path in spots:
        first.setdefault(path, index)
    return [Variable(path, line(text, index)) for path, index in first.items()]


def line(text: str, index: int) -> int:
    return text.count("\n", 0, index) + 1


class _Parsed(msgspec.Struct, frozen=True):
    template: BoundTemplate
    blanks: Blanks | None


def _parsed(text: str, escape: bool) -> _Parsed:
    if len(text) > limits.TEMPLATE_CHARACTERS:
        raise TemplateError(_too_long(text))
    kept = _shelf.find((text, escape))
    if kept is None:
        kept = _parse(text, escape)
        _shelf.keep((text, escape), kept)
    return kept


class _Shelf:
    """Parsed templates, the least recently used given up first."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, bool], _Parsed] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def find(self, key: tuple[str, bool]) -> _Parsed | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key]

    def keep(self, key: tuple[str, bool], template: _Parsed) -> None:
        with self._lock:
            if key not in self._held:
                self._held[key] = template
                self._weight += _weight(key)
            while self._weight > _KEPT:
                oldest, _ = self._held.popitem(last=False)
                self._weight -= _weight(oldest)


def _weight(key: tuple[str, bool]) -> int:
    text, _ = key
    return len(text) + _MARKUP_WEIGHT * (text.count("{{") + text.count("{%"))


_shelf = _Shelf()


def _parse(text: str, escape: bool) -> _Parsed:
    try:
        template = (language.ESCAPING if escape else language.PLAIN).from_string(text)
        return _Parsed(template, blanks_of(template, escape))
    except Exception as error:
        raise TemplateError(_fault(error, text)) from error


def _too_long(text: str) -> Fault:
    return Fault(
        f"The template has {len(text)} characters; "
        f"the most that is rendered is {limits.TEMPLATE_CHARACTERS}.",
        "limit",
    )


def _fault(error: Exception, text: str) -> Fault:
    if isinstance(error.__cause__, ResourceLimitError | RecursionError):
        error = error.__cause__
    token = getattr(error, "token", None)
    index = getattr(token, "start_index", -1)
    where = line(text, index) if 0 <= index <= len(text) else None
    if isinstance(error, RecursionError | BlockNestingError):
        return Fault("The template is nested too deeply; make it flatter.", "limit", line=where)
    if isinstance(error, OutputStreamLimitError):
        most = limits.OUTPUT_BYTES
        return Fault(f"The result would be larger than {most} bytes.", "limit", line=where)
    if isinstance(error, ResourceLimitError):
        return Fault(f"{_reason(error)}.", "limit", line=where)
    if isinstance(error, UnknownFilterError):
        name = str(getattr(token, "value", ""))
        return Fault(_no_such_filter(name), "unknown_filter", line=where)
    if isinstance(error, _WRONG_ARGUMENT):
        reason = _reason(error)
        return Fault(f"A filter cannot be used like this: {reason}.", "filter_argument", line=where)
    if isinstance(error, LiquidError):
        return Fault(f"This is not valid Liquid: {_reason(error)}.", "syntax", line=where)
    return Fault("This template cannot be rendered with these values.", "syntax", line=where)


def _reason(error: LiquidError) -> str:
    reason = str(error.args[0] if error.args else error).rstrip(".")
    unclosed = _UNCLOSED.match(reason)
    return f"a tag is never closed; add '{{% {unclosed.group(1)} %}}'" if unclosed else reason


def _no_such_filter(name: str) -> str:
    return f"There is no filter '{name}'; correct its name or remove it."


def _filter_fault(used: Filter, variable: str | None, text: str) -> Fault | None:
    where = line(text, used.token.start_index)
    signature = language.signature(used.name, language.PLAIN)
    if signature is None:
        return Fault(_no_such_filter(used.name), "unknown_filter", variable, where)
    positional = [given for given in used.args if not isinstance(given, KeywordArgument)]
    named = {given.name: 0 for given in used.args if isinstance(given, KeywordArgument)}
    try:
        signature.bind(None, *positional, **named)
    except TypeError as error:
        return Fault(
            f"The filter '{used.name}' is given wrong arguments: {error}.",
            "filter_argument",
            variable,
            where,
        )
    reason = _wrong_literal(used.name, [argument.value for argument in positional])
    return Fault(reason, "filter_argument", variable, where) if reason else None


def _wrong_literal(name: str, values: list[Any]) -> str | None:
    """What can be seen of arguments that are written out."""
    if name == "pluralize" and not values:
        return "The filter 'pluralize' needs a word, for example pluralize: 'message'."
    place, what = _NUMBERS.get(name, (0, ""))
    if not what or len(values) <= place:
        return None
    value = values[place]
    if isinstance(value, StringLiteral) and not _is_number(str(value.value)):
        return f"The filter '{name}' wants a number for {what}, not '{value.value}'."
    negative = isinstance(value, IntegerLiteral | FloatLiteral) and value.value < 0
    if negative and name in ("digest", "toSentence"):
        return f"The filter '{name}' wants {what} to be zero or more."
    return None


def _is_number(text: str) -> bool:
    try:
        float(text[:40])
    except ValueError:
        return False
    return True


def _path(segments: Segments) -> str:
    parts: list[str] = []
    for segment in segments:
        if isinstance(segment, list):
            break
        parts.append(str(segment))
    return ".".join(parts)
