"""Renders a layout around a sample text."""

from collections.abc import Mapping
from typing import Any

import msgspec

from tidings.domain import schemas, variables
from tidings.domain.layouts import Frame
from tidings.rendering import emails
from tidings.rendering.templates import TemplateError

_TEXT = "<p>The body of the e-mail goes here.</p>"


class LayoutPreview(msgspec.Struct, frozen=True):
    sample: dict[str, Any]
    html: str
    problem: str | None = None


def preview(layout: Frame, given: Mapping[str, Any]) -> LayoutPreview:
    subscriber = schemas.example(variables.SUBSCRIBER)
    wanted = given.get("subscriber")
    sample = {"subscriber": {**subscriber, **(wanted if isinstance(wanted, Mapping) else {})}}
    try:
        rendered = emails.render_email(
            _TEXT,
            "html",
            sample,
            layout=layout.body,
            layout_editor=layout.editor,
            sanitize=True,
            title=layout.name,
        )
    except TemplateError as error:
        return LayoutPreview(sample, "", error.fault.message)
    return LayoutPreview(sample, rendered.html)
