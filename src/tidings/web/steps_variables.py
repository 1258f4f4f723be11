"""The variables of a step as a list to choose from."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tidings.domain.schemas import Schema

_DEEPEST = 6
_MOST = 150

FILTERS = (
    ("default: ''", "when there is no value"),
    ("upcase", "in capitals"),
    ("downcase", "in small letters"),
    ("capitalize", "first letter in capitals"),
    ("date: '%d.%m.%Y'", "a date in this form"),
    ("truncate: 40", "shortened"),
    ("size", "how many"),
    ("join: ', '", "the entries of a list in a row"),
    ("pluralize: 'item'", "a count with its word"),
    ("toSentence: 'name', 2", "Ada, Bob and 3 others"),
    ("digest: 2, 'name'", "names of gathered events"),
    ("json", "as JSON"),
    ("escape", "safe for HTML"),
)
"""Offered after a `|`; the guide to templates has them all."""


class Variable(msgspec.Struct, frozen=True):
    path: str
    kind: str
    """What it holds, in a word."""


def variables(schema: Schema) -> list[Variable]:
    found = []
    for each in _walk(schema, "", 0):
        found.append(each)
        if len(found) == _MOST:
            break
    return sorted(found, key=_rank)


def _rank(variable: Variable) -> int:
    """What one writes most comes first."""
    roots = ("payload", "subscriber", "steps", "content")
    root = variable.path.split(".")[0]
    return roots.index(root) if root in roots else len(roots)


def _walk(node: Any, path: str, depth: int) -> Iterator[Variable]:
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return
    properties = node.get("properties")
    inner = properties if isinstance(properties, Mapping) else {}
    items = node.get("items")
    if path and (not inner or items):
        yield Variable(path, _kind(node))
    if isinstance(items, Mapping) and isinstance(items.get("properties"), Mapping):
        yield from _walk(items, f"{path}[0]", depth + 1)
    for name, child in inner.items():
        if str(name).isidentifier() or str(name).replace("-", "_").isidentifier():
            yield from _walk(child, f"{path}.{name}" if path else str(name), depth + 1)


def _kind(node: Mapping[str, Any]) -> str:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "text")
    words = {"string": "text", "integer": "number", "boolean": "yes or no", "array": "list"}
    return words.get(str(kind), str(kind) if isinstance(kind, str) else "any")
