"""Draws the human API reference page from the OpenAPI document, needing no outside host."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

Object = Mapping[str, Any]

_HERE = Path(__file__).parent
ASSETS: Mapping[str, tuple[str, bytes]] = {
    name: (f"{media_type}; charset=utf-8", (_HERE / "static" / name).read_bytes())
    for name, media_type in (("docs.css", "text/css"), ("docs.js", "text/javascript"))
}

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_PLACES = ("path", "query", "header", "cookie")
_BASE = "http://127.0.0.1:8080"
_COMPONENTS = "#/components/schemas/"
_OPEN_ALL, _OPEN_ONE, _OPEN_NONE = 5, 1, 0
_LIMITS = (
    *("const", "default", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"),
    *("multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems"),
    *("minProperties", "maxProperties"),
)
_FLAGS = ("uniqueItems", "readOnly", "writeOnly")
_TEXT = "text"
_SAMPLES: Object = {
    "date-time": "2030-01-31T09:00:00Z",
    "date": "2030-01-31",
    "time": "09:00:00",
    "duration": "PT15M",
    "email": "ada@example.com",
    "uri": "https://example.com/",
    "uuid": "0190a5d6-3c2b-7e11-9f00-5b1f6a0c2d34",
    "number": 1.5,
    "boolean": True,
    "object": {},
    "array": [],
}


@dataclass(frozen=True, slots=True)
class Node:
    """One field, parameter, element or alternative, ready to be drawn."""

    type: str
    name: str = ""
    link: str = ""
    required: bool = False
    deprecated: bool = False
    facts: tuple[tuple[str, str], ...] = ()
    enum: tuple[str, ...] = ()
    text: str = ""
    children: tuple[Node, ...] = ()


class _Plain(NamedTuple):
    """A schema with its references followed and its null alternative set apart."""

    schema: dict[str, Any]
    ref: str
    nullable: bool


class _Schemas:
    """Reads the schemas of one document, as trees to draw and as example values."""

    def __init__(self, document: Object) -> None:
        self.document = document

    def resolve(self, item: Object) -> Object:
        if "$ref" not in item:
            return item
        found: Any = self.document
        for step in item["$ref"].removeprefix("#/").split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def plain(self, source: Any, seen: frozenset[str] = frozenset()) -> _Plain:
        schema = dict(source) if isinstance(source, Mapping) else {}
        name, nullable = "", False
        while "$ref" in schema or len(_alternatives(schema)) == 1:
            nullable |= _allows_null(schema)
            if (ref := schema.pop("$ref", None)) is None:
                inner = _alternatives(schema)[0]
                schema = {k: v for k, v in schema.items() if k not in ("oneOf", "anyOf")}
            else:
                inner = {} if ref in seen else self.resolve({"$ref": ref})
                seen, name = seen | {ref}, ref
            schema = {**inner, **schema}
        nullable |= _allows_null(schema)
        for part in schema.pop("allOf", ()):
            base = self.plain(part, seen)
            schema, name = _merged(base.schema, schema), name or base.ref
        return _Plain(schema, name, nullable)

    def node(self, source: Any, room: int, trail: tuple[str, ...] = (), **given: Any) -> Node:
        """Describe a schema, opening at most `room` levels of named types and none in itself."""
        schema, ref, nullable = self.plain(source)
        if ref and _nests(schema) and (room == 0 or ref in trail):
            link = _schema_anchor(ref) if ref.startswith(_COMPONENTS) else ""
            shape = Node(type=_label(ref), link=link)
        else:
            shape = self.shape(schema, ref, room - bool(ref), (*trail, ref))
        enum = tuple(str(value) for value in schema.get("enum", ()) if value is not None)
        own = {
            "type": f"{shape.type} or null" if nullable else shape.type,
            "facts": (*_facts(schema), *shape.facts),
            "enum": enum or shape.enum,
            "deprecated": schema.get("deprecated", False),
            "text": schema.get("description", ""),
        }
        return replace(shape, **{**own, **given})

    def shape(self, schema: Object, ref: str, room: int, trail: tuple[str, ...]) -> Node:
        if options := _alternatives(schema):
            nodes = tuple(self.node(option, room, trail) for option in options)
            names = ", ".join(dict.fromkeys(node.type for node in nodes))
            return Node(type=f"one of {names}", children=nodes)
        if schema.get("properties"):
            return Node(type=_label(ref), children=(*self.fields(schema, room, trail),))
        kinds = [kind for kind in _kinds(schema) if kind != "null"]
        for keyword, kind in (("items", "array"), ("additionalProperties", "map")):
            if isinstance(schema.get(keyword), Mapping) and len(kinds) <= 1:
                inner = self.node(schema[keyword], room, trail)
                facts = tuple((f"each {label}", value) for label, value in inner.facts)
                return replace(inner, type=f"{kind} of {inner.type}", facts=facts)
        form = f" ({schema['format']})" if "format" in schema else ""
        return Node(type=(" or ".join(kinds) or "any") + form)

    def fields(self, schema: Object, room: int, trail: tuple[str, ...]) -> Iterator[Node]:
        for name, value in schema["properties"].items():
            required = name in schema.get("required", ())
            yield self.node(value, room, trail, name=name, required=required)
        if isinstance(others := schema.get("additionalProperties"), Mapping):
            yield self.node(others, room, trail, name="(any other name)")

    def sample(self, source: Any, trail: tuple[str, ...] = ()) -> Any:
        """Make an example value: the one its author stated, else one of its type."""
        schema, ref, _ = self.plain(source)
        stated, inside = _stated(schema), (*trail, ref)
        if stated is not None or (ref and ref in trail):
            return stated
        if options := _alternatives(schema):
            return self.sample(options[0], inside)
        if fields := schema.get("properties"):
            return {key: self.sample(fields[key], inside) for key in self.sample_keys(schema)}
        if schema.get("items"):
            item = self.sample(schema["items"], inside)
            return [] if item is None else [item]
        if schema.get("additionalProperties"):
            return {"key": self.sample(schema["additionalProperties"], inside)}
        return _scalar(schema)

    def sample_keys(self, schema: Object) -> list[str]:
        """Choose required fields, then optional ones with a stated value (any, if all optional)."""
        plain = {key: self.plain(value).schema for key, value in schema["properties"].items()}
        fields = {key: field for key, field in plain.items() if not field.get("readOnly")}
        required = [key for key in fields if key in schema.get("required", ())]
        return required + [
            key
            for key, field in fields.items()
            if key not in required
            and not field.get("deprecated")
            and (not required or _stated(field) not in (None, [], {}))
        ]


class _Operations(_Schemas):
    """Reads the operations of one document."""

    def groups(self) -> dict[str, dict[str, Any]]:
        """Sort the operations under their first tag, tags in the order the document lists."""
        groups: dict[str, dict[str, Any]] = {
            tag["name"]: {"text": tag.get("description", ""), "operations": []}
            for tag in self.document.get("tags", ())
        }
        for path, item in self.document.get("paths", {}).items():
            for method in (method for method in _METHODS if method in item):
                tag = next(iter(item[method].get("tags", ())), "Other")
                group = groups.setdefault(tag, {"text": "", "operations": []})
                group["operations"].append(self.operation(method, path, item))
        return {tag: group for tag, group in groups.items() if group["operations"]}

    def operation(self, method: str, path: str, item: Object) -> dict[str, Any]:
        source = item[method]
        listed = (*item.get("parameters", ()), *source.get("parameters", ()))
        parameters = {(p["in"], p["name"]): p for p in map(self.resolve, listed)}.values()
        body = self.resolve(source.get("requestBody", {}))
        access = source.get("security", self.document.get("security", ()))
        options = [*self.request_options(access, body)]
        return {
            "summary": path,
            "description": "",
            "deprecated": False,
            **source,
            "id": _anchor(source.get("operationId") or f"{method}{path}"),
            "method": method,
            "path": path,
            "access": access,
            "parameters": {
                place: [self.parameter(p) for p in parameters if p["in"] == place]
                for place in _PLACES
            },
            "body": body and {**body, "content": self.content(body, _OPEN_ALL)},
            "responses": [self.response(*pair) for pair in source.get("responses", {}).items()],
            "curl": self.curl(method, path, parameters, options),
        }

    def parameter(self, source: Object, name: str = "") -> Node:
        said = {key: source[key] for key in ("description", "deprecated") if source.get(key)}
        schema, required = {**source.get("schema", {}), **said}, source.get("required", False)
        return self.node(schema, _OPEN_ONE, name=name or source["name"], required=required)

    def response(self, status: str, source: Object) -> dict[str, Any]:
        response = self.resolve(source)
        good = status.startswith("2")
        headers = response.get("headers", {}).items()
        return {
            "status": status,
            "good": good,
            "text": response.get("description", ""),
            "headers": [self.parameter(self.resolve(header), name) for name, header in headers],
            "content": self.content(response, _OPEN_ALL if good else _OPEN_NONE),
        }

    def content(self, holder: Object, room: int) -> dict[str, Node]:
        content = holder.get("content", {}).items()
        return {media: self.node(value.get("schema"), room) for media, value in content}

    def curl(self, method: str, path: str, parameters: Iterable[Object], tail: list[str]) -> str:
        query, headers = [], []
        for parameter in (parameter for parameter in parameters if parameter.get("required")):
            name, value = parameter["name"], self.argument(parameter)
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(value, safe=""))
            elif parameter["in"] == "query":
                query.append(f"{quote(name)}={quote(value, safe='')}")
            else:
                cookie = parameter["in"] == "cookie"
                header = f"Cookie: {name}={value}" if cookie else f"{name}: {value}"
                headers.append("-H " + shlex.quote(header))
        url = self.base() + path + ("?" + "&".join(query) if query else "")
        verb = {"get": "", "head": "--head "}.get(method, f"-X {method.upper()} ")
        return " \\\n  ".join([f"curl {verb}{shlex.quote(url)}", *headers, *tail])

    def base(self) -> str:
        url = next(iter(self.document.get("servers", ())), {"url": ""})["url"].rstrip("/")
        return url if "://" in url else _BASE + url

    def argument(self, parameter: Object) -> str:
        value = self.example(parameter)
        first = value[0] if isinstance(value, list) and value else value
        if first == _TEXT:
            return str(parameter["name"]).upper()
        return first if isinstance(first, str) else _show(first)

    def example(self, holder: Object) -> Any:
        stated = _stated(holder)
        return self.sample(holder.get("schema")) if stated is None else stated

    def request_options(self, access: Any, body: Object) -> Iterator[str]:
        if access:
            yield '-H "Authorization: ApiKey $TIDINGS_API_KEY"'
        for media, source in [*body.get("content", {}).items()][:1]:
            yield "-H " + shlex.quote(f"Content-Type: {media}")
            if "json" in media:
                text = json.dumps(self.example(source), indent=2, ensure_ascii=False)
                yield "-d " + shlex.quote(text)
            else:
                yield "--data-binary @body"


def _kinds(schema: Object) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _listed(schema: Object) -> list[Object]:
    return schema.get("oneOf") or schema.get("anyOf") or []


def _alternatives(schema: Object) -> list[Object]:
    return [option for option in _listed(schema) if option.get("type") != "null"]


def _allows_null(schema: Object) -> bool:
    null = len(_alternatives(schema)) < len(_listed(schema))
    return null or "null" in _kinds(schema) or None in schema.get("enum", ())


def _nests(schema: Object) -> bool:
    keywords = ("properties", "items", "additionalProperties", "oneOf", "anyOf")
    return any(schema.get(keyword) for keyword in keywords)


def _merged(base: Object, schema: Object) -> dict[str, Any]:
    return {
        **base,
        **schema,
        "properties": {**base.get("properties", {}), **schema.get("properties", {})},
        "required": [*base.get("required", ()), *schema.get("required", ())],
    }


def _stated(holder: Object) -> Any:
    """Find the value its author gave: an example, a constant or a default."""
    examples = holder.get("examples") or ()
    if isinstance(examples, Mapping):
        examples = [example.get("value") for example in examples.values()]
    found = [*examples, *(holder.get(key) for key in ("example", "const", "default"))]
    return next((value for value in found if value is not None), None)


def _scalar(schema: Object) -> Any:
    for value in (value for value in schema.get("enum", ()) if value is not None):
        return value
    kind = next((kind for kind in _kinds(schema) if kind != "null"), "string")
    usual = int(schema.get("minimum", 1)) if kind == "integer" else _SAMPLES.get(kind, _TEXT)
    return _SAMPLES.get(schema.get("format", ""), usual)


def _facts(schema: Object) -> Iterator[tuple[str, str]]:
    for key in (key for key in _LIMITS if key in schema):
        yield _words(key), schema[key] if key == "pattern" else _show(schema[key])
    for key in (key for key in _FLAGS if schema.get(key)):
        yield _words(key), ""


def _words(keyword: str) -> str:
    return re.sub("[A-Z]", lambda capital: f" {capital[0].lower()}", keyword)


def _show(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if whole else value, ensure_ascii=False)


def _label(ref: str) -> str:
    return ref.rpartition("/")[2] or "object"


def _anchor(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text)


def _schema_anchor(ref: str) -> str:
    return "schema-" + _anchor(ref.removeprefix(_COMPONENTS))


def _paragraphs(text: str) -> list[list[str]]:
    """Cut a text into paragraphs, and each of them into plain and `code` pieces in turn."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text))
    return [re.split(r"`([^`]+)`", part) for part in parts if part]


_TEMPLATES = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["paragraphs"] = _paragraphs


def render(document: Object) -> str:
    """Draw the whole page; the same document always gives the same page."""
    reader = _Operations(document)
    components = document.get("components", {})
    schemas = {
        _schema_anchor(name): (name, reader.node({"$ref": _COMPONENTS + name}, _OPEN_ONE))
        for name in components.get("schemas", {})
    }
    return _TEMPLATES.get_template("docs.html").render(
        info=document["info"],
        schemes=components.get("securitySchemes", {}),
        groups=reader.groups(),
        schemas=schemas,
    )
