"""Finds everything that is wrong with the steps of a workflow, and what their templates use."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tidings.domain import rules, schemas, variables
from tidings.domain.issues import ContentIssue, ControlIssues
from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.workflows import Definition, Step
from tidings.rendering import emails, templates
from tidings.rendering.templates import Fault
from tidings.steps.base import Kind
from tidings.steps.registry import kind_of

_PATHS = ("digestKey", "throttleKey", "dynamicKey")
"""Controls that may hold a plain path instead of a template."""
_MOST_ISSUES = 20
_MOST_USES = 500
_ROOTS = ("subscriber", "payload", "steps", "workflow", "actor", "context", "env", "t")


class Found(msgspec.Struct, frozen=True):
    """What one text says: its faults and the variables it names."""

    path: str
    faults: list[Fault]
    variables: list[str]


def checked(definition: Definition, limits: Limits, layouts: Collection[str]) -> list[Step]:
    """The steps with their issues and uses; `layouts` are the keys of those there are."""
    payload = variables.checked_against(definition.payload_schema)
    results: dict[str, Schema] = {}
    steps = []
    for step in definition.steps:
        known = variables.schema(payload, results)
        steps.append(_checked(step, known, limits, layouts, definition.is_translation_enabled))
        results[step.key] = kind_of(step.type).results(payload)
    return steps


def results_before(steps: Sequence[Step], step: Step, payload: Schema) -> dict[str, Schema]:
    """The results that a step may use, by the stepId of each earlier step."""
    earlier = steps[: [each.id for each in steps].index(step.id)]
    return {each.key: kind_of(each.type).results(payload) for each in earlier}


def _checked(
    step: Step, known: Schema, limits: Limits, layouts: Collection[str], translated: bool
) -> Step:
    issues: ControlIssues = {}
    kind = kind_of(step.type)
    for problem in kind.problems(step.controls, limits):
        issue_type = "TIER_LIMIT_EXCEEDED" if problem.over_limit else "MISSING_VALUE"
        issue = ContentIssue(issue_type, problem.message, problem.path)  # type: ignore[arg-type]
        issues.setdefault(problem.path, []).append(issue)
    _check_layout(step, layouts, issues)
    _check_condition(step, issues)
    uses: dict[str, None] = {}
    for found in [*_texts(step, kind), *_conditions(step)]:
        for issue in _issues(found, known, translated):
            named = issues.setdefault(found.path, [])
            if len(named) < _MOST_ISSUES:
                named.append(issue)
        uses.update(dict.fromkeys(found.variables))
    return msgspec.structs.replace(step, issues=issues, uses=list(uses)[:_MOST_USES])


def _check_condition(step: Step, issues: ControlIssues) -> None:
    rule = step.controls.get("skip")
    if isinstance(rule, Mapping):
        found = [ContentIssue("MISSING_VALUE", message) for message in rules.check(rule)]
        if found:
            issues.setdefault("skip", []).extend(found[:_MOST_ISSUES])


def _check_layout(step: Step, layouts: Collection[str], issues: ControlIssues) -> None:
    wanted = step.controls.get("layoutId")
    if step.type == "email" and isinstance(wanted, str) and wanted not in layouts:
        message = f"There is no layout {wanted!r}. Create it, or choose another, or none (null)."
        issues.setdefault("layoutId", []).append(ContentIssue("MISSING_VALUE", message, "layoutId"))


def _texts(step: Step, kind: Kind) -> Iterator[Found]:
    for name in kind.templates:
        value = step.controls.get(name)
        if step.type == "email" and name == "body" and isinstance(value, str):
            editor = "html" if step.controls.get("editorType") == "html" else "block"
            faults = emails.check_body(value, editor)  # type: ignore[arg-type]
            named = emails.body_variables(value, editor)  # type: ignore[arg-type]
            yield Found(name, faults if value else [], [each.path for each in named])
            continue
        for path, text in strings(value, name):
            if name in _PATHS and "{{" not in text:
                yield Found(path, [], [_full_path(text)] if text else [])
            else:
                named = templates.variables(text)
                yield Found(path, templates.check(text), [each.path for each in named])


def strings(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every text in a value with its dotted path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from strings(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from strings(inner, f"{path}.{number}")


def _full_path(text: str) -> str:
    """`orderId` is meant as `payload.orderId`."""
    return text if schemas.parts(text)[:1] and text.split(".")[0] in _ROOTS else f"payload.{text}"


def _conditions(step: Step) -> Iterator[Found]:
    rule = step.controls.get("skip")
    if isinstance(rule, Mapping):
        yield Found("skip", [], rules.variables(rule))


def _issues(found: Found, known: Schema, translated: bool) -> Iterator[ContentIssue]:
    for fault in found.faults:
        bad_argument = fault.kind == "filter_argument"
        where = f" (line {fault.line})" if fault.line and fault.line > 1 else ""
        yield ContentIssue(
            "INVALID_FILTER_ARG_IN_VARIABLE"
            if bad_argument
            else "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
            fault.message + where,
            fault.variable,
        )
    for path in dict.fromkeys(found.variables):
        if not (translated and path.split(".")[0] == "t") and not schemas.knows(known, path):
            yield ContentIssue(
                "ILLEGAL_VARIABLE_IN_CONTROL_VALUE", _unknown(path, known), path[:200]
            )


def _unknown(path: str, known: Schema) -> str:
    root, *rest = schemas.parts(path)[:2] or [path]
    shown = path if len(path) <= 80 else path[:77] + "..."
    if root not in known["properties"]:
        return (
            f"Variable {shown!r} is not known. Variables start with subscriber, payload, steps, "
            f"workflow, actor, context or env; did you mean 'payload.{shown}'?"
        )
    if root == "payload":
        return f"Variable {shown!r} is not in the payload schema. Add it there or correct the name."
    if root == "steps" and rest and rest[0] not in known["properties"]["steps"]["properties"]:
        there = ", ".join(known["properties"]["steps"]["properties"]) or "none"
        return f"Variable {shown!r} names no earlier step; the earlier steps are: {there}."
    fields = known["properties"][root].get("properties", {})
    choices = f"; {root} has {', '.join(fields)}" if fields and root != "steps" else ""
    return f"Variable {shown!r} does not exist{choices}."
