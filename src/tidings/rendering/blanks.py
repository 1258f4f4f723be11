"""Templates that are mostly text with blanks, `Hello {{ subscriber.firstName }}`: filled in.

Most texts are of this kind, and filling in a blank takes a hundredth of what it takes to set up a
rendering with its loops, scopes and limits. Anything but plain values is left to the language. What
depends on nothing but the event, such as a loop over the payload, is the same for all who receive
it, and is rendered once for those who follow each other.
"""

import operator
from collections.abc import Mapping
from typing import Any

from liquid import BoundTemplate, Markup, escape
from liquid.ast import Node
from liquid.builtin.content import ContentNode
from liquid.builtin.expressions import FilteredExpression, Path
from liquid.builtin.output import OutputNode

from tidings.rendering import limits
from tidings.rendering.language import Context

_LONGEST_TEXT = 10_000
_OF_THE_EVENT = frozenset({"payload", "actor", "tenant", "context"})
_TAGS = frozenset({"for", "if", "unless", "case"})
_LITTLE_WORK = limits.WORK // 100


class _Shared:
    """A part that only depends on the event."""

    def __init__(self, part: BoundTemplate, names: list[str]) -> None:
        self._part = part
        self._names = names
        self._last: tuple[list[Any], str | None] = ([None], None)

    def render(self, variables: Mapping[str, Any]) -> str | None:
        """None when the language has to say what is wrong with it, or counts much work for it."""
        values = [variables.get(name) for name in self._names]
        known, text = self._last
        if len(known) != len(values) or not all(map(operator.is_, known, values)):
            text = self._rendered(variables)
            self._last = (values, text)
        return text

    def _rendered(self, variables: Mapping[str, Any]) -> str | None:
        context = Context(self._part, globals=self._part.make_globals(dict(variables)))
        buffer = context.get_buffer()
        try:
            self._part.render_with_context(context, buffer)
        except Exception:
            return None
        return buffer.getvalue() if limits.WORK - context.work <= _LITTLE_WORK else None


class Blanks:
    def __init__(self, parts: list[str | tuple[str, ...] | _Shared], escaping: bool) -> None:
        self._parts = parts
        self._escaping = escaping

    def fill(self, variables: Mapping[str, Any]) -> str | None:
        """None when it takes the language to know what stands in a blank."""
        texts = []
        for part in self._parts:
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(part, _Shared):
                shared = part.render(variables)
                if shared is None:
                    return None
                texts.append(shared)
            else:
                value = _plain(variables, part)
                if value is None:
                    return None
                texts.append(escape(value) if self._escaping else value)
        filled = "".join(map(str, texts))
        ordinary = len(filled) <= _LONGEST_TEXT and "\r" not in filled
        return filled if ordinary else None


def blanks_of(template: BoundTemplate, escaping: bool) -> Blanks | None:
    parts: list[str | tuple[str, ...] | _Shared] = []
    for node in template.nodes:
        if isinstance(node, ContentNode):
            parts.append(node.text)
        elif isinstance(node, OutputNode) and (path := _path(node.expression)):
            parts.append(path)
        elif shared := _shared(template, node):
            parts.append(shared)
        else:
            return None
    return Blanks(parts, escaping)


def _shared(template: BoundTemplate, node: Node) -> _Shared | None:
    part = type(template)(template.env, [node])
    found = part.analyze(include_partials=False)
    if found.locals or not set(found.tags) <= _TAGS or not set(found.globals) <= _OF_THE_EVENT:
        return None
    if "date" in found.filters or "offset" in str(node):
        return None  # the one may ask for the time, the other go on where another loop ended
    return _Shared(part, sorted(found.globals))


def _path(expression: Any) -> tuple[str, ...] | None:
    if not isinstance(expression, FilteredExpression) or expression.filters:
        return None
    left = expression.left
    if not isinstance(left, Path) or not all(isinstance(part, str) for part in left.path):
        return None
    return tuple(map(str, left.path))


def _plain(value: Any, path: tuple[str, ...]) -> str | None:
    for part in path:
        if type(value) is not dict or part not in value:
            return None
        value = value[part]
    if type(value) is str or type(value) is Markup:
        text: str = value
        return text
    if value is None:
        return ""
    return str(value) if type(value) is int else None
