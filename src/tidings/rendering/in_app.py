"""What a subscriber sees in the inbox: texts, picture, buttons and where a click leads."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.rendering import sanitizing, urls
from tidings.rendering.templates import render, render_values

SELF = "_self"
TARGETS = frozenset((SELF, "_blank", "_parent", "_top", "_unfencedTop"))


class Redirect(msgspec.Struct, frozen=True):
    url: str
    target: str


class Action(msgspec.Struct, frozen=True):
    label: str
    redirect: Redirect | None


class RenderedInApp(msgspec.Struct, frozen=True):
    subject: str
    body: str
    avatar: str | None
    primary_action: Action | None
    secondary_action: Action | None
    redirect: Redirect | None
    data: dict[str, Any]


def render_in_app(controls: Mapping[str, Any], variables: Mapping[str, Any]) -> RenderedInApp:
    """Raises TemplateError. Addresses that are neither of the web nor paths are left out."""
    sanitize = not controls.get("disableOutputSanitization")
    data = controls.get("data")
    return RenderedInApp(
        subject=_text(controls.get("subject"), variables, sanitize=sanitize),
        body=_text(controls.get("body"), variables, sanitize=sanitize),
        avatar=_address(controls.get("avatar"), variables) or None,
        primary_action=_action(controls.get("primaryAction"), variables),
        secondary_action=_action(controls.get("secondaryAction"), variables),
        redirect=_redirect(controls.get("redirect"), variables),
        data=render_values(data, variables) if isinstance(data, Mapping) else {},
    )


def _text(value: Any, variables: Mapping[str, Any], *, sanitize: bool) -> str:
    text = render(value, variables) if isinstance(value, str) else ""
    return sanitizing.clean_inline(text) if sanitize else text


def _address(value: Any, variables: Mapping[str, Any]) -> str:
    return urls.redirect(render(value, variables)) if isinstance(value, str) else ""


def _action(value: Any, variables: Mapping[str, Any]) -> Action | None:
    """A button without a label is none."""
    if not isinstance(value, Mapping) or not isinstance(value.get("label"), str):
        return None
    label = render(value["label"], variables).strip()
    return Action(label, _redirect(value.get("redirect"), variables)) if label else None


def _redirect(value: Any, variables: Mapping[str, Any]) -> Redirect | None:
    if not isinstance(value, Mapping):
        return None
    url = _address(value.get("url"), variables)
    if not url:
        return None
    target = value.get("target")
    return Redirect(url, target if isinstance(target, str) and target in TARGETS else SELF)
