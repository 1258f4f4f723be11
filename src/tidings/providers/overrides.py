"""Lays the caller's overrides over the request that a vendor file built."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.providers.exchange import Body, Form, Json, Multipart, Part, Request

PASSTHROUGH = "_passthrough"


def lay_over(request: Request, overrides: Mapping[str, Any]) -> Request:
    """The vendor's own fields deep into the body, then `_passthrough`: body, headers and query. A
    GET without a body takes in its query what was meant for the body."""
    if not overrides or request.overrides == "none":
        return request
    through = overrides.get(PASSTHROUGH)
    through = through if isinstance(through, Mapping) else {}
    fields = {name: value for name, value in overrides.items() if name != PASSTHROUGH}
    if request.overrides == "passthrough":
        fields = {}
    over = deep(fields, _object(through, "body"))
    in_query = request.method == "GET" and request.body is None
    body = request.body if in_query else _lay(request.body, over)
    headers = dict(request.headers)
    for name, value in _object(through, "headers").items():
        headers = {old: kept for old, kept in headers.items() if old.lower() != name.lower()}
        headers[name] = _header(value)
    query = {**request.query, **_in_query(over if in_query else {}), **_object(through, "query")}
    return msgspec.structs.replace(request, body=body, headers=headers, query=query)


def _in_query(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _field(value) for name, value in fields.items()}


def deep(base: Any, over: Any) -> Any:
    """Objects are merged, everything else is replaced."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{name: deep(base.get(name), value) for name, value in over.items()}}
    return over


def _lay(body: Body | None, fields: Mapping[str, Any]) -> Body | None:
    if not fields:
        return body
    match body:
        case Json(value):
            if isinstance(value, list):
                return Json([deep(item, fields) for item in value])
            return Json(deep(value, fields))
        case Form(present):
            return Form({**present, **{name: _field(value) for name, value in fields.items()}})
        case Multipart(parts):
            kept = tuple(part for part in parts if part.name not in fields)
            added = tuple(
                Part(name=name, content=str(_field(item)))
                for name, value in fields.items()
                for item in (value if isinstance(value, list) else [value])
            )
            return Multipart(kept + added)
        case None:
            return Json(dict(fields))
        case _:
            return body


def _object(through: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = through.get(name)
    return value if isinstance(value, Mapping) else {}


def _field(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return msgspec.json.encode(value).decode()
    return value


def _header(value: Any) -> str:
    return str(_field(value)).replace("\r", " ").replace("\n", " ")
