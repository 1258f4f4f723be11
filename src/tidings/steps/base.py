"""What every step type has: controls as a typed record, from which its JSON Schema, its form and
its validation are made."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.workflows import StepType
from tidings.steps import payloads
from tidings.steps.payloads import Finding

Group = Literal["IN_APP", "EMAIL", "DIGEST", "DELAY", "THROTTLE", "SMS", "CHAT", "PUSH", "SKIP"]
_DRAFT = "http://json-schema.org/draft-07/schema#"


def ui(component: str, placeholder: Any = None, **more: Any) -> Meta:
    """How a control is edited; `hint` is what is said when its value breaks the pattern."""
    return Meta(extra={"component": component, "placeholder": placeholder, **more})


class Controls(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """The controls of a step as people fill them in, before templates are rendered."""

    skip: Annotated[dict[str, Any] | UnsetType, ui("QUERY_EDITOR")] = UNSET


Variant = type[Controls]


class Problem(msgspec.Struct, frozen=True):
    """What is wrong with one control."""

    path: str
    message: str
    over_limit: bool = False


Rules = Callable[[Mapping[str, Any], Limits], Iterable[Problem]]


def no_rules(values: Mapping[str, Any], limits: Limits) -> Iterable[Problem]:
    return ()


def no_results(payload: Schema) -> Schema:
    return {"type": "object", "properties": {}, "additionalProperties": False}


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A step type. With several variants, the control `type` says which one is meant."""

    type: StepType
    group: Group
    variants: tuple[Variant, ...]
    rules: Rules = no_rules
    """What a schema cannot say."""
    requirements: Mapping[str, Any] = {}
    """What the schema says besides the fields of the record."""
    results: Callable[[Schema], Schema] = no_results
    """The schema of what later steps may use, given that of the payload."""
    templates: tuple[str, ...] = ()
    """Controls that hold a template; every text inside them is one."""

    def variant(self, values: Mapping[str, Any]) -> Variant:
        wanted = values.get("type")
        for each in self.variants:
            if wanted in _literals(each):
                return each
        return self.variants[0]

    def read(self, values: Mapping[str, Any]) -> Controls:
        """The typed record; raises msgspec.ValidationError while there are problems."""
        return msgspec.convert(values, self.variant(values))

    @property
    def data_schema(self) -> Schema:
        schemas = [{**schema_of(each), **self.requirements} for each in self.variants]
        whole = schemas[0] if len(schemas) == 1 else {"oneOf": schemas}
        return {"$schema": _DRAFT, **whole}

    @property
    def ui_schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for each in reversed(self.variants):
            properties = {**_form(each), **properties}
        return {"group": self.group, "properties": properties}

    def problems(self, values: Mapping[str, Any], limits: Limits) -> list[Problem]:
        """Everything wrong with these values."""
        kinds = [kind for each in self.variants for kind in _literals(each)]
        if kinds and values.get("type", kinds[0]) not in kinds:
            return [Problem("type", "Type must be one of " + ", ".join(kinds))]
        variant = self.variant(values)
        found = payloads.findings(schema_of(variant), values)
        problems = [Problem(each.field, self._say(each, variant)) for each in found]
        return [*problems, *self.rules(values, limits)]

    def _say(self, finding: Finding, variant: Variant) -> str:
        label = _label(finding.field)
        if finding.missing:
            return f"{label} is required"
        if finding.unknown:
            known = ", ".join(field.encode_name for field in msgspec.structs.fields(variant))
            return f"{label} is not a control of {self.type} steps, which have {known}"
        hint = _extra(variant, finding.field).get("hint")
        return f"{label} {hint or finding.message}"


@cache
def schema_of(controls: type[Controls]) -> Schema:
    """The record's JSON Schema, without references and without the names of our classes."""
    schema = msgspec.json.schema(controls)

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(each) for each in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return inline(schema["$defs"][node["$ref"].rsplit("/", 1)[-1]])
        ours = {"$defs", "title", "description"} if "properties" in node else {"$defs"}
        return {name: inline(value) for name, value in node.items() if name not in ours}

    whole: Schema = inline(schema)
    return whole


def _literals(controls: type[Controls]) -> list[Any]:
    kind = schema_of(controls).get("properties", {}).get("type", {})
    return list(kind.get("enum", ()))


def _form(controls: type[msgspec.Struct]) -> dict[str, Any]:
    properties = {}
    for field in msgspec.structs.fields(controls):
        extra = _meta(field.type)
        if "component" in extra:
            shown = {"component": extra["component"]}
            if extra["placeholder"] is not None:
                shown["placeholder"] = extra["placeholder"]
            properties[field.encode_name] = shown
    return properties


def _extra(controls: type[msgspec.Struct], path: str) -> dict[str, Any]:
    """What is noted on the control that a path leads to."""
    extra: dict[str, Any] = {}
    for name in path.split("."):
        field = next((f for f in msgspec.structs.fields(controls) if f.encode_name == name), None)
        if field is None:
            return extra
        extra = _meta(field.type)
        controls = extra.get("record", controls)
    return extra


def _meta(annotation: Any) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    for each in getattr(annotation, "__metadata__", ()):
        if isinstance(each, Meta) and each.extra:
            extra.update(each.extra)
    return extra


def _label(path: str) -> str:
    """`primaryAction.label` -> Primary action label."""
    words = "".join(" " + c.lower() if c.isupper() else " " if c == "." else c for c in path)
    return words[:1].upper() + words[1:]
