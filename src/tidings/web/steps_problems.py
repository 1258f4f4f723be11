"""Where in a form the problems of a step belong: at the field, the line, the block."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from tidings.domain.issues import ContentIssue, ControlIssues
from tidings.domain.workflows import StepType
from tidings.rendering import emails, templates
from tidings.web import steps_blocks
from tidings.web.steps_form import Edited

_LINE = re.compile(r" \(line \d+\)$")
"""Blocks are not lines to those who write them."""


class Place(msgspec.Struct, frozen=True):
    message: str
    line: int | None = None


def located(type: StepType, edited: Edited, issues: ControlIssues) -> Mapping[str, Sequence[Place]]:
    """By field; `block.3` is the fourth block of an e-mail."""
    found: dict[str, list[Place]] = {}
    for path, told in issues.items():
        for issue in told:
            in_blocks = type == "email" and path == "body" and edited.editor == "block"
            block = _block(edited, issue) if in_blocks else None
            name = path if block is None else f"block.{block}"
            line = None if in_blocks else _line(edited, path, issue)
            message = _LINE.sub("", issue.message) if in_blocks else issue.message
            places = found.setdefault(name, [])
            if Place(message, line) not in places:
                places.append(Place(message, line))
    return found


def _block(edited: Edited, issue: ContentIssue) -> int | None:
    if not issue.variable_name:
        for number, block in enumerate(edited.blocks):
            if emails.check_body(steps_blocks.body([block]), "block"):
                return number
        return None
    for number, block in enumerate(edited.blocks):
        if any(issue.variable_name in value for value in block.answers.values()):
            return number
    return None


def _line(edited: Edited, path: str, issue: ContentIssue) -> int | None:
    """The line of a text with several where a variable is first named."""
    text = edited.html if path == "body" and edited.html else edited.controls.get(path)
    if not isinstance(text, str) or "\n" not in text or not issue.variable_name:
        return None
    for variable in templates.variables(text):
        if variable.path == issue.variable_name:
            return variable.line
    return None
