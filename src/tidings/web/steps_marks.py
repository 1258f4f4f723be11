"""The text of a block as people type it: **bold**, *italic*, __underlined__, ~~struck~~, `code`,
[a link](https://example.com), a new line for a break; Liquid stays as it is."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

Node = dict[str, Any]

_SIGNS = {"**": "bold", "*": "italic", "__": "underline", "~~": "strike"}
_MARKS = {name: sign for sign, name in _SIGNS.items()}
_LIQUID = r"\{\{.*?\}\}|\{%.*?%\}"
_TOKEN = re.compile(
    r"\\(?P<escaped>[\\*_~`\[\]])"
    rf"|(?P<liquid>{_LIQUID})"
    r"|`(?P<code>[^`\n]+)`"
    rf"|\[(?P<label>(?:\\.|[^\]\\\n])+)\]\((?P<url>(?:{_LIQUID}|[^()\s])+)\)"
    r"|(?P<sign>\*\*|\*|__|~~)"
    r"|(?P<break>\n)",
    re.S,
)
_SPECIAL = re.compile(rf"(?P<liquid>{_LIQUID})|[\\*`]|_(?=_)|(?<=_)_|~(?=~)|(?<=~)~|\[|\]", re.S)


class CannotSayError(Exception):
    """The content has something that this way of writing has no words for."""


def nodes(text: str) -> list[Node]:
    """The inline content that a text stands for."""
    return _nodes(text, ())


def _nodes(text: str, around: tuple[Node, ...]) -> list[Node]:
    tokens = list(_TOKEN.finditer(text))
    paired = _paired(text, tokens)
    found: list[Node] = []
    open_marks: list[str] = []
    place = 0

    def add(piece: str, *more: Node) -> None:
        marks = [*around, *({"type": name} for name in open_marks), *more]
        _append(found, piece, sorted(marks, key=lambda mark: str(mark["type"])))

    for token in tokens:
        add(text[place : token.start()])
        place = token.end()
        if token["sign"]:
            name = _SIGNS[token["sign"]]
            if token.start() not in paired:
                add(token["sign"])
            elif name in open_marks:
                open_marks.remove(name)
            else:
                open_marks.append(name)
        elif token["break"]:
            found.append({"type": "hardBreak"})
        elif token["code"]:
            add(token["code"], {"type": "code"})
        elif token["label"]:
            link = {"type": "link", "attrs": {"href": token["url"], "target": "_blank"}}
            marks = tuple({"type": name} for name in open_marks)
            for node in _nodes(token["label"], (*around, *marks, link)):
                _append(found, node.get("text", ""), node.get("marks", []))
        else:
            add(token["escaped"] or token["liquid"])
    add(text[place:])
    return found


def _paired(text: str, tokens: Sequence[re.Match[str]]) -> set[int]:
    """Where the signs stand that begin or end something; the others are just characters."""
    waiting: dict[str, int] = {}
    paired: set[int] = set()
    for token in tokens:
        sign = token["sign"]
        if not sign:
            continue
        before, after = text[token.start() - 1 : token.start()], text[token.end() : token.end() + 1]
        if sign in waiting and before.strip():
            paired |= {waiting.pop(sign), token.start()}
        elif after.strip():
            waiting[sign] = token.start()
    return paired


def _append(found: list[Node], piece: str, marks: list[Node]) -> None:
    if not piece:
        return
    last = found[-1] if found else None
    if last is not None and last["type"] == "text" and last.get("marks", []) == marks:
        last["text"] += piece
        return
    node: Node = {"type": "text", "text": piece}
    if marks:
        node["marks"] = marks
    found.append(node)


def text(content: Any) -> str:
    """What somebody would type to get this content. Raises CannotSayError."""
    if content is None:
        return ""
    if not isinstance(content, list):
        raise CannotSayError
    parts: list[str] = []
    group: list[Node] = []
    href: str | None = None
    for node in content:
        link = _link(node)
        if link != href and group:
            parts.append(_linked(_run(group), href))
            group = []
        href = link
        group.append(node)
    if group:
        parts.append(_linked(_run(group), href))
    said = "".join(parts)
    if _plain(nodes(said)) != _plain(content):
        raise CannotSayError  # Liquid that begins in one node and ends in another
    return said


def _plain(content: Sequence[Node]) -> str:
    return "".join(_plain_piece(node) for node in content)


def _plain_piece(node: Node) -> str:
    if node["type"] == "hardBreak":
        return "\n"
    return _variable(node["attrs"]) if node["type"] == "variable" else str(node["text"])


def _linked(inside: str, href: str | None) -> str:
    return inside if href is None else f"[{inside}]({href})"


def _run(content: Sequence[Node]) -> str:
    """Nodes that share a link, or have none."""
    said: list[str] = []
    open_marks: list[str] = []
    pending = ""
    for node in content:
        piece, marks = _piece(node)
        core = piece.strip(" \n")
        if not core:
            pending += piece
            continue
        lead = piece[: len(piece) - len(piece.lstrip(" \n"))]
        said += [_MARKS[name] for name in open_marks if name not in marks]
        open_marks = [name for name in open_marks if name in marks]
        said += [pending, lead, *(_MARKS[name] for name in marks if name not in open_marks)]
        open_marks += [name for name in marks if name not in open_marks]
        said.append(core)
        pending = piece[len(lead) + len(core) :]
    return "".join([*said, *(_MARKS[name] for name in open_marks), pending])


def _piece(node: Any) -> tuple[str, list[str]]:
    if not isinstance(node, Mapping):
        raise CannotSayError
    kind, attrs = node.get("type"), node.get("attrs") or {}
    if kind == "hardBreak":
        return "\n", []
    marks = [
        str(mark.get("type")) for mark in node.get("marks") or () if mark.get("type") != "link"
    ]
    if kind == "variable" and not attrs.get("aliasFor"):
        return _variable(attrs), _known(marks)
    if kind != "text" or not isinstance(node.get("text"), str):
        raise CannotSayError
    if marks == ["code"] and "`" not in node["text"] and "\n" not in node["text"]:
        return f"`{node['text']}`", []
    return _SPECIAL.sub(_escape, node["text"]), _known(marks)


def _known(marks: list[str]) -> list[str]:
    if any(mark not in _MARKS for mark in marks):
        raise CannotSayError
    return marks


def _escape(found: re.Match[str]) -> str:
    return found.group() if found["liquid"] else "\\" + found.group()


def _variable(attrs: Mapping[str, Any]) -> str:
    name = str(attrs.get("id") or "").strip().removeprefix("{{").removesuffix("}}").strip()
    fallback = attrs.get("fallback")
    if not name or "'" in str(fallback or ""):
        raise CannotSayError
    return f"{{{{ {name} | default: '{fallback}' }}}}" if fallback else f"{{{{ {name} }}}}"


def _link(node: Any) -> str | None:
    for mark in (node.get("marks") or ()) if isinstance(node, Mapping) else ():
        if isinstance(mark, Mapping) and mark.get("type") == "link":
            attrs = mark.get("attrs") or {}
            href = str(attrs.get("href") or "")
            if attrs.get("isUrlVariable") and "{{" not in href:
                href = "{{" + href.strip() + "}}"
            if not href or re.search(r"[()\s]", re.sub(_LIQUID, "", href)):
                raise CannotSayError
            return href
    return None
