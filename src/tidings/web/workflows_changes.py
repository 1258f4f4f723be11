"""Differences in words that product people read, with long texts line by line."""

import difflib
from collections.abc import Sequence
from typing import Any

import msgspec

from tidings.domain.differences import Change
from tidings.web import steps_blocks
from tidings.web.steps_looks import WORDS

_SHORT = 80
_NAMES = {
    "name": "Name",
    "key": "Identifier",
    "description": "Description",
    "tags": "Tags",
    "active": "Active",
    "severity": "Severity",
    "validate_payload": "Check of the payload",
    "payload_schema": "Payload schema",
    "is_translation_enabled": "Translations",
    "preferences": "Preferences",
    "body": "Body",
    "editor": "Editor",
}


class Line(msgspec.Struct, frozen=True):
    sign: str
    """`+`, `-` or nothing."""
    text: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    verb: str
    tone: str
    before: str = ""
    after: str = ""
    lines: Sequence[Line] = ()


_VERBS = {
    "added": ("added", "good"),
    "deleted": ("removed", "bad"),
    "modified": ("changed", "info"),
    "moved": ("moved", "info"),
}


def shown(changes: Sequence[Change]) -> list[Shown]:
    return [_shown(change) for change in changes]


def _shown(change: Change) -> Shown:
    verb, tone = _VERBS[change.action]
    title = _title(change)
    if change.action == "moved":
        return Shown(
            title=title,
            verb=f"moved from place {change.before + 1} to {change.after + 1}",
            tone=tone,
        )
    whole = change.step is not None and change.path == f"steps.{change.step}"
    if whole:
        step = change.after if change.action == "added" else change.before
        words = f"{verb}: the {step['type'].replace('_', '-')} step “{step['name']}”"
        return Shown(title=title, verb=words, tone=tone)
    before, after = _text(change.before), _text(change.after)
    if change.action == "modified" and max(len(before), len(after)) > _SHORT:
        return Shown(title=title, verb=verb, tone=tone, lines=_lines(before, after))
    return Shown(title=title, verb=verb, tone=tone, before=before, after=after)


def _title(change: Change) -> str:
    parts = change.path.split(".")
    if change.step is not None:
        rest = change.path.removeprefix(f"steps.{change.step}").removeprefix(".controls").strip(".")
        inner = rest.split(".")
        label = WORDS[inner[0]][0] if inner[0] in WORDS else inner[0].capitalize()
        more = " ".join(inner[1:])
        return f"Step {change.step}" + (f": {label} {more}".rstrip() if rest else "")
    first = _NAMES.get(parts[0], parts[0])
    return " ".join([first, *parts[1:]])


def _text(value: Any) -> str:
    if isinstance(value, str):
        if value.lstrip().startswith('{"') and '"type"' in value:
            return "\n".join(steps_blocks.told(value)) or value
        return value
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value) or "none"
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _lines(before: str, after: str) -> list[Line]:
    found = difflib.ndiff(before.splitlines(), after.splitlines())
    return [Line(line[0] if line[0] in "+-" else "", line[2:]) for line in found if line[0] != "?"][
        :400
    ]
