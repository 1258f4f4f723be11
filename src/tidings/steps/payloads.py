"""Validation by JSON Schema: of payloads against the schema people write, of controls against ours.

Schemas come from callers, so nothing is fetched for them and patterns run in linear time.
"""

import copy
import functools
from collections.abc import Mapping
from typing import Any, NoReturn

import jsonschema_rs
import msgspec

from tidings.domain.schemas import Schema

_CACHED = 1000
_MOST_FINDINGS = 100
_DEEPEST = 24


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that breaks the schema."""

    field: str
    """Dotted path; empty for the whole."""
    message: str
    value: Any
    schema_path: str
    missing: bool = False
    unknown: bool = False


class BadSchemaError(Exception):
    """The schema itself cannot be used; the message says why."""


def findings(schema: Schema, value: Any) -> list[Finding]:
    """What is wrong with the value, in the order of the schema."""
    validator = _compiled(msgspec.json.encode(schema))
    if validator.is_valid(value):
        return []
    found: list[Finding] = []
    for error in validator.iter_errors(value):
        found += _findings(error)
        if len(found) >= _MOST_FINDINGS:
            break
    return found


def check_schema(schema: Any) -> None:
    """Raise BadSchemaError for what is not a usable JSON Schema."""
    _compiled(msgspec.json.encode(schema))


def with_defaults(schema: Schema, value: Any) -> Any:
    """The value with the defaults of the schema in the places it leaves empty."""
    return _fill(schema, value, schema, 0)


@functools.lru_cache(_CACHED)
def _compiled(text: bytes) -> Any:
    try:
        return jsonschema_rs.validator_for(
            msgspec.json.decode(text),
            retriever=_refuse,
            validate_formats=True,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=1 << 20),
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise BadSchemaError(str(error).splitlines()[0]) from None


def _refuse(address: str) -> NoReturn:
    raise ValueError(f"{address} is outside the schema; put it under $defs")


def _findings(error: jsonschema_rs.ValidationError) -> list[Finding]:
    kind, what = _kind(error)
    place = [str(part) for part in error.instance_path]
    schema_path = "/".join(["#", *map(str, error.schema_path)])
    if kind == "Required":
        name = str(what.property)
        return [
            Finding(
                field=".".join([*place, name]),
                message="is required",
                value=None,
                schema_path=schema_path,
                missing=True,
            )
        ]
    if kind in ("AdditionalProperties", "UnevaluatedProperties"):
        return [
            Finding(
                field=".".join([*place, name]),
                message="is not allowed",
                value=error.instance.get(name) if isinstance(error.instance, dict) else None,
                schema_path=schema_path,
                unknown=True,
            )
            for name in what.unexpected
        ]
    return [
        Finding(
            field=".".join(place),
            message=_say(error),
            value=error.instance,
            schema_path=schema_path,
            missing=kind == "MinLength" and error.instance == "",
        )
    ]


def _kind(error: jsonschema_rs.ValidationError) -> tuple[str, Any]:
    """The kind of error by name, and what it knows."""
    return type(error.kind).__name__.rsplit("_", 1)[-1], error.kind


def _say(error: jsonschema_rs.ValidationError) -> str:
    """Without the value, which the finding carries and which may be long."""
    kind, what = _kind(error)
    if kind == "Enum":
        return "must be one of " + ", ".join(map(str, what.options))
    shown = msgspec.json.encode(error.instance).decode()
    message: str = error.message
    if message.startswith(shown):
        return message[len(shown) :].strip()
    return message if len(shown) < 200 else "does not fit the schema"


def _fill(node: Any, value: Any, root: Schema, depth: int) -> Any:
    node = _resolved(node, root)
    if depth > _DEEPEST or not isinstance(node, Mapping):
        return value
    if isinstance(value, list) and isinstance(node.get("items"), Mapping):
        return [_fill(node["items"], each, root, depth + 1) for each in value]
    properties = node.get("properties")
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    filled = dict(value)
    for name, inner in properties.items():
        inner = _resolved(inner, root)
        if name in filled:
            filled[name] = _fill(inner, filled[name], root, depth + 1)
        elif isinstance(inner, Mapping) and "default" in inner:
            filled[name] = copy.deepcopy(inner["default"])
    return filled


def _resolved(node: Any, root: Schema) -> Any:
    for _ in range(_DEEPEST):
        reference = node.get("$ref") if isinstance(node, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return node
        node = root
        for part in reference[2:].split("/"):
            node = node.get(part, {}) if isinstance(node, Mapping) else {}
    return node
