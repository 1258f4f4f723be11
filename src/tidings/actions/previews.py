"""Renders a step with sample data. Problems are told, never raised."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from tidings.actions import checking
from tidings.domain import variables
from tidings.domain.issues import ContentIssue, ControlIssues
from tidings.domain.layouts import Frame
from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.workflows import Step, Workflow
from tidings.rendering import emails, in_app, templates
from tidings.rendering.emails import RenderedEmail
from tidings.rendering.templates import TemplateError
from tidings.steps.registry import kind_of

T = TypeVar("T")

_TEXTS = {"sms": ("body",), "push": ("subject", "body"), "chat": ("body",)}
"""What a preview of the channel always has."""
_FIELDS = {"primaryAction": "primary_action", "secondaryAction": "secondary_action"}
_GIVEN = ("payload", "subscriber", "actor", "steps", "context", "env")


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    sample: dict[str, Any]
    """The variables it was rendered with."""
    schema: Schema
    """Of the payload."""
    content: dict[str, Any]
    """The controls as the reader gets them."""
    issues: ControlIssues
    html: str | None = None
    """The whole document of an e-mail."""


def preview(
    workflow: Workflow,
    step: Step,
    controls: dict[str, Any] | None,
    given: Mapping[str, Any],
    layouts: Mapping[str, Frame],
    default: Frame | None,
    limits: Limits,
) -> Preview:
    """The step as it would be with these controls (its own, if none are given), rendered with
    sample data in which `given` takes precedence."""
    if controls is not None:
        step = msgspec.structs.replace(step, controls=controls)
    steps = [step if each.id == step.id else each for each in workflow.steps]
    changed = msgspec.structs.replace(workflow, steps=steps)
    checked = checking.checked(changed.definition, limits, layouts)
    changed = msgspec.structs.replace(changed, steps=checked)
    step = next(each for each in checked if each.id == step.id)
    payload = variables.payload_of(changed)
    sample = _sample(changed, step, payload, given)
    rendering = _Rendering(step, sample, dict(step.issues))
    html = None
    if step.type == "email":
        html = rendering.email(_layout(step, layouts, default))
    elif step.type == "in_app":
        rendering.in_app()
    else:
        rendering.everything()
    return Preview(
        sample=sample,
        schema=payload,
        content=rendering.content,
        issues=rendering.issues,
        html=html,
    )


def _sample(
    workflow: Workflow, step: Step, payload: Schema, given: Mapping[str, Any]
) -> dict[str, Any]:
    results = checking.results_before(workflow.steps, step, payload)
    sample = variables.example(payload, results)
    sample["workflow"] = {
        "name": workflow.name,
        "description": workflow.description,
        "tags": workflow.tags,
        "severity": workflow.severity,
        "workflowId": workflow.key,
    }
    for name in _GIVEN:
        value = given.get(name)
        if isinstance(value, Mapping):
            sample[name] = {**sample.get(name, {}), **value}
    return sample


def _layout(step: Step, layouts: Mapping[str, Frame], default: Frame | None) -> Frame | None:
    wanted = step.controls.get("layoutId", "")
    if wanted is None:
        return None
    return layouts.get(str(wanted)) or default or Frame(key="", name="", body=emails.DEFAULT_LAYOUT)


class _Rendering:
    """Renders control by control, so that one broken template hides nothing else."""

    def __init__(self, step: Step, sample: dict[str, Any], issues: ControlIssues) -> None:
        self.content: dict[str, Any] = {}
        self.issues = issues
        self._step = step
        self._sample = sample

    def everything(self) -> None:
        rendered = kind_of(self._step.type).templates
        for name, value in self._step.controls.items():
            if name == "skip":
                continue
            self.content[name] = self._tree(value, name) if name in rendered else value
        for name in _TEXTS.get(self._step.type, ()):
            self.content.setdefault(name, "")

    def in_app(self) -> None:
        controls = self._step.controls
        sanitizing = {"disableOutputSanitization": controls.get("disableOutputSanitization")}
        self.content = {"subject": "", "body": ""}
        for name in kind_of("in_app").templates:
            alone = {name: controls.get(name), **sanitizing}
            nothing = in_app.render_in_app({}, {})
            rendered = self._try(name, partial(in_app.render_in_app, alone, self._sample), nothing)
            value = msgspec.to_builtins(rendered)[_FIELDS.get(name, name)]
            if value:
                self.content[name] = value

    def email(self, layout: Frame | None) -> str:
        controls = self._step.controls
        subject = self._tree(controls.get("subject", ""), "subject")
        preheader = self._tree(controls.get("preheader", ""), "preheader")

        def render() -> RenderedEmail:
            return emails.render_email(
                str(controls.get("body", "")),
                "html" if controls.get("editorType") == "html" else "block",
                self._sample,
                layout=layout.body if layout else None,
                layout_editor=layout.editor if layout else "html",
                sanitize=not controls.get("disableOutputSanitization"),
                preheader=preheader,
                title=subject,
            )

        rendered = self._try("body", render, RenderedEmail("", ""))
        self.content = {"subject": subject, "body": rendered.html, "text": rendered.text}
        return rendered.html

    def _tree(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            return self._try(path, lambda: templates.render(value, self._sample), "")
        if isinstance(value, Mapping):
            return {name: self._tree(inner, f"{path}.{name}") for name, inner in value.items()}
        if isinstance(value, list):
            return [self._tree(inner, f"{path}.{place}") for place, inner in enumerate(value)]
        return value

    def _try(self, path: str, render: Callable[[], T], otherwise: T) -> T:
        try:
            return render()
        except TemplateError as error:
            told = self.issues.setdefault(path, [])
            if all(issue.message != error.fault.message for issue in told):
                told.append(
                    ContentIssue(
                        "INVALID_FILTER_ARG_IN_VARIABLE"
                        if error.fault.kind == "filter_argument"
                        else "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
                        error.fault.message,
                        error.fault.variable,
                    )
                )
            return otherwise
