"""The kinds of blocks: what the form of each asks for, and how its node is read and made."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tidings.web import steps_marks
from tidings.web.steps_marks import CannotSayError, Node

Answers = dict[str, str]

_LINES = re.compile(r"\n\s*\n")
_WHOLE_CONTENT = re.compile(r"\s*\{\{\s*content\s*\}\}\s*")


class Ask(msgspec.Struct, frozen=True):
    """One field of a block's form."""

    name: str
    label: str
    look: str = "line"
    """`line`, `text`, `code`, `choice` or `color`."""
    choices: tuple[tuple[str, str], ...] = ()
    hint: str = ""


class Kind(msgspec.Struct, frozen=True):
    """`ask`: the form. `read`: node -> answers. `make`: answers -> what the node has in it."""

    label: str
    asks: tuple[Ask, ...]
    read: Callable[[Node], Answers]
    make: Callable[[Answers], Node]


_ALIGN = Ask("align", "Align", "choice", (("", "Left"), ("center", "Centre"), ("right", "Right")))
_PLACE = Ask("align", "Align", "choice", (("", "Centre"), ("left", "Left"), ("right", "Right")))
_TEXT = Ask("text", "Text", "text")


def _attrs(node: Node) -> Mapping[str, Any]:
    found = node.get("attrs")
    return found if isinstance(found, Mapping) else {}


def _said(node: Node, name: str, flag: str = "") -> str:
    """An attribute as text; a variable in its brackets."""
    given = _attrs(node).get(name)
    said = "" if given is None else str(given)
    return (
        "{{" + said + "}}"
        if flag and said and _attrs(node).get(flag) and "{{" not in said
        else said
    )


def _without_empty(**attrs: Any) -> Node:
    kept = {name: value for name, value in attrs.items() if value not in ("", None)}
    return {"attrs": kept} if kept else {}


def _content(text: str) -> Node:
    if _WHOLE_CONTENT.fullmatch(text):  # of a layout: where the e-mail goes
        return {"content": [{"type": "variable", "attrs": {"id": "content"}}]}
    inside = steps_marks.nodes(text)
    return {"content": inside} if inside else {}


def paragraph(text: str) -> Node:
    return {"type": "paragraph", **_content(text)}


def _paragraphs(text: str) -> list[Node]:
    return [paragraph(part) for part in _LINES.split(text.strip("\n"))] if text.strip() else []


def _only_paragraphs(content: Any) -> str:
    parts = []
    for node in content or ():
        if node.get("type") != "paragraph" or node.get("attrs"):
            raise CannotSayError
        parts.append(steps_marks.text(node.get("content")))
    return "\n\n".join(parts)


def _read_text(node: Node) -> Answers:
    side = _said(node, "textAlign").removeprefix("left")
    return {"text": steps_marks.text(node.get("content")), "align": side}


def _make_text(answers: Answers) -> Node:
    return {
        **_without_empty(textAlign=answers.get("align")),
        **_content(answers.get("text", "")),
    }


def _read_heading(node: Node) -> Answers:
    return {**_read_text(node), "level": _said(node, "level") or "1"}


def _make_heading(answers: Answers) -> Node:
    level = answers.get("level", "1")
    attrs: Node = {"level": int(level) if level.isdigit() else 1}
    if answers.get("align"):
        attrs["textAlign"] = answers["align"]
    return {"attrs": attrs, **_content(answers.get("text", ""))}


def _read_list(node: Node) -> Answers:
    items = []
    for item in node.get("content") or ():
        said = _only_paragraphs(item.get("content"))
        if item.get("type") != "listItem" or item.get("attrs") or "\n" in said:
            raise CannotSayError
        items.append(said)
    return {"text": "\n".join(items)}


def _make_list(answers: Answers) -> Node:
    items = [line.strip() for line in answers.get("text", "").split("\n") if line.strip()]
    return {"content": [{"type": "listItem", "content": [paragraph(item)]} for item in items]}


def _read_boxed(node: Node) -> Answers:
    return {"text": _only_paragraphs(node.get("content"))}


def _make_boxed(answers: Answers) -> Node:
    return {"content": _paragraphs(answers.get("text", ""))}


def _read_button(node: Node) -> Answers:
    if node.get("content"):
        raise CannotSayError
    return {
        "text": _said(node, "text", "isTextVariable"),
        "url": _said(node, "url", "isUrlVariable"),
        "color": _said(node, "buttonColor"),
        "variant": _said(node, "variant") or "filled",
        "align": _said(node, "alignment").removeprefix("left"),
    }


def _make_button(answers: Answers) -> Node:
    return _without_empty(
        text=answers.get("text"),
        isTextVariable=False,
        url=answers.get("url"),
        isUrlVariable=False,
        alignment=answers.get("align"),
        variant=answers.get("variant"),
        buttonColor=answers.get("color"),
    )


def _read_image(node: Node) -> Answers:
    return {
        "src": _said(node, "src", "isSrcVariable"),
        "alt": _said(node, "alt"),
        "width": _said(node, "width"),
        "link": _said(node, "externalLink", "isExternalLinkVariable"),
        "align": _said(node, "alignment").removeprefix("center"),
    }


def _make_image(answers: Answers) -> Node:
    return _without_empty(
        src=answers.get("src"),
        isSrcVariable=False,
        alt=answers.get("alt"),
        width=answers.get("width"),
        externalLink=answers.get("link"),
        isExternalLinkVariable=False,
        alignment=answers.get("align"),
    )


def _read_spacer(node: Node) -> Answers:
    return {"height": _said(node, "height") or "md"}


def _make_spacer(answers: Answers) -> Node:
    return {"attrs": {"height": answers.get("height") or "md"}}


def _read_html(node: Node) -> Answers:
    parts = [part.get("text") for part in node.get("content") or () if part.get("type") == "text"]
    if len(parts) != len(node.get("content") or ()):
        raise CannotSayError
    return {"html": "".join(str(part) for part in parts)}


def _make_html(answers: Answers) -> Node:
    code = answers.get("html", "")
    return {"content": [{"type": "text", "text": code}]} if code else {}


def _read_repeat(node: Node) -> Answers:
    return {"each": _said(node, "each"), "text": _only_paragraphs(node.get("content"))}


def _make_repeat(answers: Answers) -> Node:
    each = answers.get("each", "").strip().removeprefix("{{").removesuffix("}}").strip()
    return {"attrs": {"each": each}, "content": _paragraphs(answers.get("text", ""))}


def _read_section(node: Node) -> Answers:
    return {
        "text": _only_paragraphs(node.get("content")),
        "color": _said(node, "backgroundColor"),
    }


def _make_section(answers: Answers) -> Node:
    padding = {f"padding{side}": 16 for side in ("Top", "Right", "Bottom", "Left")}
    color = answers.get("color") or "#f1f5f9"
    return {
        "attrs": {"backgroundColor": color, "borderRadius": 8, **padding},
        "content": _paragraphs(answers.get("text", "")),
    }


def _read_columns(node: Node) -> Answers:
    columns = node.get("content") or []
    if len(columns) != 2 or any(column.get("type") != "column" for column in columns):
        raise CannotSayError
    left, right = (_only_paragraphs(column.get("content")) for column in columns)
    return {"left": left, "right": right}


def _make_columns(answers: Answers) -> Node:
    return {
        "content": [
            {"type": "column", "content": _paragraphs(answers.get(side, ""))}
            for side in ("left", "right")
        ]
    }


_FILLS = (("filled", "Filled"), ("outline", "Outline"))
KINDS: Mapping[str, Kind] = {
    "paragraph": Kind("Text", (_TEXT, _ALIGN), _read_text, _make_text),
    "heading": Kind(
        "Heading",
        (
            Ask("text", "Text"),
            Ask("level", "Size", "choice", (("1", "Large"), ("2", "Medium"), ("3", "Small"))),
            _ALIGN,
        ),
        _read_heading,
        _make_heading,
    ),
    "button": Kind(
        "Button",
        (
            Ask("text", "Label"),
            Ask("url", "Leads to", hint="https://… or {{payload.url}}"),
            Ask("variant", "Style", "choice", _FILLS),
            Ask("color", "Colour", "color"),
            _ALIGN,
        ),
        _read_button,
        _make_button,
    ),
    "image": Kind(
        "Image",
        (
            Ask("src", "Address of the picture", hint="https://…"),
            Ask("alt", "Description", hint="For those who do not see it"),
            Ask("width", "Width", hint="300 or 100%"),
            Ask("link", "Leads to", hint="https://…"),
            _PLACE,
        ),
        _read_image,
        _make_image,
    ),
    "horizontalRule": Kind("Divider", (), lambda node: {}, lambda answers: {}),
    "spacer": Kind(
        "Space",
        (
            Ask(
                "height",
                "Height",
                "choice",
                (("sm", "Small"), ("md", "Medium"), ("lg", "Large"), ("xl", "Very large")),
            ),
        ),
        _read_spacer,
        _make_spacer,
    ),
    "bulletList": Kind(
        "List",
        (Ask("text", "Entries", "text", hint="One a line"),),
        _read_list,
        _make_list,
    ),
    "orderedList": Kind(
        "Numbered list",
        (Ask("text", "Entries", "text", hint="One a line"),),
        _read_list,
        _make_list,
    ),
    "blockquote": Kind("Quotation", (_TEXT,), _read_boxed, _make_boxed),
    "section": Kind(
        "Box",
        (_TEXT, Ask("color", "Background", "color")),
        _read_section,
        _make_section,
    ),
    "columns": Kind(
        "Two columns",
        (Ask("left", "Left", "text"), Ask("right", "Right", "text")),
        _read_columns,
        _make_columns,
    ),
    "repeat": Kind(
        "Repeat",
        (
            Ask("each", "For each of", hint="payload.items, or steps.digest.events"),
            Ask("text", "Text", "text", hint="{{ current.name }} is a field of the entry"),
        ),
        _read_repeat,
        _make_repeat,
    ),
    "htmlCodeBlock": Kind("HTML", (Ask("html", "HTML", "code"),), _read_html, _make_html),
    "footer": Kind("Small print", (_TEXT, _ALIGN), _read_text, _make_text),
}
FRESH: Mapping[str, Answers] = {
    "heading": {"level": "1"},
    "button": {"text": "Open", "variant": "filled"},
    "spacer": {"height": "md"},
}
