"""JSON Schemas of what templates may use: which paths one knows, an example of it, and a schema
gathered from the paths that templates name."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

Schema = dict[str, Any]

_DEEPEST = 24
_MOST_NODES = 2000
_INDEX = re.compile(r"\[\s*['\"]?([^\]'\"]+)['\"]?\s*\]")
_BY_FORMAT = {
    "email": "ada@example.com",
    "date-time": "2026-01-01T12:00:00.000Z",
    "date": "2026-01-01",
    "time": "12:00:00",
    "uri": "https://example.com",
    "url": "https://example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def parts(path: str) -> list[str]:
    """`payload.items[0].name` -> payload, items, 0, name."""
    return [part.strip() for part in _INDEX.sub(r".\1", path).split(".") if part.strip()]


def knows(schema: Mapping[str, Any], path: str) -> bool:
    """Whether a path can name something that this schema describes.

    An object that lists its properties is taken at its word unless it says `additionalProperties`.
    """
    return _knows(schema, parts(path), schema, 0)


def _knows(node: Any, names: list[str], root: Mapping[str, Any], depth: int) -> bool:
    node = _resolved(node, root)
    if not names or not isinstance(node, Mapping) or depth > _DEEPEST:
        return node is not False
    choices = [each for word in ("anyOf", "oneOf", "allOf") for each in node.get(word, ())]
    if any(_knows(choice, names, root, depth + 1) for choice in choices):
        return True
    name, rest = names[0], names[1:]
    properties = node.get("properties")
    if isinstance(properties, Mapping) and name in properties:
        return _knows(properties[name], rest, root, depth + 1)
    if _is_array(node) and _is_of_a_list(name):
        return _knows(node.get("items", True), rest, root, depth + 1)
    if "additionalProperties" in node:
        return _knows(node["additionalProperties"], rest, root, depth + 1)
    closed = isinstance(properties, Mapping) or bool(choices) or "type" in node
    return not closed or (node.get("type") == "object" and not properties and not choices)


def _is_of_a_list(name: str) -> bool:
    return name.isdigit() or name in ("size", "first", "last")


def _is_array(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind) or "items" in node


def _resolved(node: Any, root: Mapping[str, Any]) -> Any:
    for _ in range(_DEEPEST):
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return node
        node = root
        for part in reference[1:].strip("/").split("/") if reference != "#" else ():
            part = part.replace("~1", "/").replace("~0", "~")
            node = node.get(part, {}) if isinstance(node, Mapping) else {}
    return {}


def inlined(schema: Schema) -> Schema:
    """The schema with its own definitions put where they are referred to, so that it can stand
    inside another one; what refers to itself is cut off."""
    left = [_MOST_NODES]

    def inline(node: Any, seen: tuple[str, ...]) -> Any:
        left[0] -= 1
        if left[0] < 0 or not isinstance(node, dict | list):
            return node if left[0] >= 0 else {}
        if isinstance(node, list):
            return [inline(each, seen) for each in node]
        reference = node.get("$ref")
        if isinstance(reference, str):
            return {} if reference in seen else inline(_resolved(node, schema), (*seen, reference))
        return {name: inline(value, seen) for name, value in node.items() if name != "$defs"}

    if b'"$ref"' not in msgspec.json.encode(schema):
        return schema
    whole: Schema = inline(schema, ())
    return whole


def example(schema: Mapping[str, Any]) -> Any:
    """A value that fits the schema as far as its own words tell: its examples and defaults first,
    else something plain of the right type."""
    return _Examples(schema).of(schema, "value", 0)


class _Examples:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def of(self, node: Any, name: str, depth: int) -> Any:
        node = _resolved(node, self._root)
        self._nodes += 1
        if not isinstance(node, Mapping) or depth > _DEEPEST or self._nodes > _MOST_NODES:
            return None
        for given in _stated(node):
            return given
        if parts := node.get("allOf"):
            return self._united(node, parts, name, depth)
        for word in ("oneOf", "anyOf"):
            if node.get(word):
                return self.of({**_without(node, word), **_first(node[word])}, name, depth + 1)
        return self._typed(node, name, depth)

    def _united(self, node: Mapping[str, Any], choices: Any, name: str, depth: int) -> Any:
        whole: Any = self._typed(_without(node, "allOf"), name, depth + 1)
        for choice in choices:
            part = self.of(choice, name, depth + 1)
            both = isinstance(whole, dict) and isinstance(part, dict)
            whole = {**whole, **part} if both else part
        return whole

    def _typed(self, node: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = node.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), "null")
        if kind is None:
            kind = "object" if "properties" in node else "array" if "items" in node else "string"
        if kind == "object":
            properties = node.get("properties")
            items = properties.items() if isinstance(properties, Mapping) else ()
            return {key: self.of(inner, str(key), depth + 1) for key, inner in items}
        if kind == "array":
            count = min(max(int(_number(node, "minItems", 1)), 1), 5)
            return [self.of(node.get("items", {}), name, depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            return _between(node, whole=kind == "integer")
        return {"boolean": True, "null": None}.get(str(kind), _text(node, name))


def _stated(node: Mapping[str, Any]) -> Iterable[Any]:
    if "example" in node:
        yield node["example"]
    if isinstance(node.get("examples"), list):
        yield from node["examples"][:1]
    for word in ("default", "const"):
        if word in node:
            yield node[word]
    if isinstance(node.get("enum"), list):
        yield from node["enum"][:1]


def _without(node: Mapping[str, Any], word: str) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key != word}


def _first(choices: Any) -> dict[str, Any]:
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("type") != "null":
            return dict(choice)
    return {}


def _number(node: Mapping[str, Any], word: str, otherwise: float) -> float:
    value = node.get(word, otherwise)
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return value if usable else otherwise


def _between(node: Mapping[str, Any], whole: bool) -> float:
    step = 1 if whole else 0.5
    low = _number(node, "minimum", _number(node, "exclusiveMinimum", 0) + step)
    high = _number(node, "maximum", _number(node, "exclusiveMaximum", low + 2 * step) - step)
    value = min(max(1, low), high)
    return int(value) if whole or float(value).is_integer() else value


def _text(node: Mapping[str, Any], name: str) -> str:
    form = node.get("format")
    text = _BY_FORMAT.get(form, name) if isinstance(form, str) else name
    text = text.ljust(min(int(_number(node, "minLength", 0)), 1000), "x")
    return text[: int(_number(node, "maxLength", len(text)))]


def from_use(paths: Iterable[str]) -> Schema:
    """The schema of an object that has these paths (`order.id`, `items[0].name`)."""
    tree: dict[str, Any] = {}
    for path in paths:
        node = tree
        for name in parts(path):
            node = node.setdefault(name, {})
    return _object(tree)


def _shape(tree: Mapping[str, Any]) -> Schema:
    if not tree:
        return {"type": "string"}
    if all(_is_of_a_list(name) for name in tree):
        return {"type": "array", "items": _shape(_united(tree.values()))}
    return _object(tree)


def _united(trees: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for tree in trees:
        for name, inner in tree.items():
            by_name.setdefault(name, []).append(inner)
    return {name: _united(inner) for name, inner in by_name.items()}


def _object(tree: Mapping[str, Any]) -> Schema:
    return {"type": "object", "properties": {name: _shape(node) for name, node in tree.items()}}
