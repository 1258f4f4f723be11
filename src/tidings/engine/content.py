"""Renders the controls of a channel step into what its message holds."""

from typing import Any

import msgspec

from tidings.domain.layouts import Layout
from tidings.engine.run import Run
from tidings.rendering import plain
from tidings.rendering.emails import DEFAULT_LAYOUT, render_email
from tidings.rendering.in_app import Action, RenderedInApp, render_in_app


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What is said, whoever delivers it."""

    subject: str | None = None
    text: str = ""
    html: str | None = None
    cta: dict[str, Any] = {}
    avatar: str | None = None
    data: dict[str, Any] | None = None

    @property
    def stored(self) -> Any:
        return self.text if self.html is None else {"html": self.html, "text": self.text}


class MissingLayoutError(Exception):
    """The layout that a step or a trigger names does not exist."""


def render(run: Run, position: int) -> Content:
    """Raises TemplateError and MissingLayoutError."""
    step = run.step(position)
    variables = run.variables(position)
    controls = step.controls
    if step.type == "in_app":
        return _in_app(render_in_app(controls, variables))
    if step.type == "email":
        return _email(run, position, variables)
    if step.type == "push":
        pushed = plain.push(controls, variables)
        return Content(subject=pushed.subject, text=pushed.body)
    return Content(text=plain.message(str(controls.get("body") or ""), variables))


def _email(run: Run, position: int, variables: dict[str, Any]) -> Content:
    controls = run.step(position).controls
    layout = _layout(run, position)
    rendered = render_email(
        str(controls.get("body") or ""),
        "html" if controls.get("editorType") == "html" else "block",
        variables,
        layout=None if layout is None else layout[0],
        layout_editor="html" if layout is None or layout[1] == "html" else "block",
        sanitize=not controls.get("disableOutputSanitization"),
    )
    subject = plain.subject(str(controls.get("subject") or ""), variables)
    return Content(subject=subject, text=rendered.text, html=rendered.html)


def _layout(run: Run, position: int) -> tuple[str, str] | None:
    """Body and editor of the layout: what the trigger says, else the step, else the default."""
    step, overrides = run.step(position), run.event.overrides
    wanted: Any = step.controls.get("layoutId", msgspec.UNSET)
    for place in (
        overrides.get("steps", {}).get(step.key),
        overrides.get("channels", {}).get("email"),
        {"layoutId": overrides["layoutIdentifier"]} if "layoutIdentifier" in overrides else None,
    ):
        if isinstance(place, dict) and "layoutId" in place:
            wanted = place["layoutId"]
            break
    if wanted is None:
        return None
    found = _named_layout(run.surroundings.layouts, wanted)
    if found is not None:
        return found.body, found.editor
    if wanted is not msgspec.UNSET:
        raise MissingLayoutError(f"There is no layout {wanted!r}.")
    return DEFAULT_LAYOUT, "html"


def _named_layout(layouts: list[Layout], wanted: Any) -> Layout | None:
    if wanted is msgspec.UNSET:
        return next((each for each in layouts if each.is_default), None)
    return next((each for each in layouts if wanted in (each.key, each.id, each.slug)), None)


def _in_app(rendered: RenderedInApp) -> Content:
    buttons = []
    for kind, action in (
        ("primary", rendered.primary_action),
        ("secondary", rendered.secondary_action),
    ):
        if action is not None:
            buttons.append(_button(kind, action))
    cta: dict[str, Any] = {}
    if rendered.redirect is not None:
        cta["type"] = "redirect"
        cta["data"] = {"url": rendered.redirect.url, "target": rendered.redirect.target}
    if buttons:
        cta["action"] = {"status": "pending", "buttons": buttons}
    return Content(
        subject=rendered.subject or None,
        text=rendered.body,
        cta=cta,
        avatar=rendered.avatar,
        data=rendered.data or None,
    )


def _button(kind: str, action: Action) -> dict[str, Any]:
    button: dict[str, Any] = {"type": kind, "content": action.label}
    if action.redirect is not None:
        button |= {"url": action.redirect.url, "target": action.redirect.target}
    return button
