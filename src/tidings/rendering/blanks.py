"""Templates that are only text with blanks, `Hello {{ subscriber.firstName }}`: filled in directly.

Most texts are of this kind, and filling in a blank takes a hundredth of what it takes to set up a
rendering with its loops, scopes and limits. Anything but plain values is left to the language.
"""

from collections.abc import Mapping
from typing import Any

from liquid import BoundTemplate, Markup, escape
from liquid.builtin.content import ContentNode
from liquid.builtin.expressions import FilteredExpression, Path
from liquid.builtin.output import OutputNode

_LONGEST_TEXT = 10_000


class Blanks:
    def __init__(self, parts: list[str | tuple[str, ...]], escaping: bool) -> None:
        self._parts = parts
        self._escaping = escaping

    def fill(self, variables: Mapping[str, Any]) -> str | None:
        """None when it takes the language to know what stands in a blank."""
        texts = []
        for part in self._parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            value = _plain(variables, part)
            if value is None:
                return None
            texts.append(escape(value) if self._escaping else value)
        filled = "".join(map(str, texts))
        ordinary = len(filled) <= _LONGEST_TEXT and "\r" not in filled
        return filled if ordinary else None


def blanks_of(template: BoundTemplate, escaping: bool) -> Blanks | None:
    parts: list[str | tuple[str, ...]] = []
    for node in template.nodes:
        if isinstance(node, ContentNode):
            parts.append(node.text)
        elif isinstance(node, OutputNode) and (path := _path(node.expression)):
            parts.append(path)
        else:
            return None
    return Blanks(parts, escaping)


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
