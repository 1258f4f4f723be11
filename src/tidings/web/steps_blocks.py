"""A block document as a list of small forms: what each block asks for, and the document that the
answers make. A block that such a form cannot express is edited as JSON and kept to the letter."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from tidings.web.form import Form
from tidings.web.steps_block_kinds import FRESH, KINDS, Answers, paragraph
from tidings.web.steps_marks import CannotSayError, Node

RAW = "raw"
_MOST = 200


class Block(msgspec.Struct, frozen=True):
    kind: str
    answers: Answers
    was: str = ""
    """The node it came from as JSON, when the answers alone do not make it again."""


def blocks(body: str) -> list[Block]:
    """The blocks of a document; what is no document is one block of its own."""
    if not body.strip():
        return []
    try:
        document = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return [Block(RAW, {"json": body})]
    if not isinstance(document, dict):
        return [Block(RAW, {"json": body})]
    content = document.get("content") if document.get("type") == "doc" else [document]
    return [_block(node) for node in content if isinstance(node, dict)] if content else []


def body(given: Sequence[Block]) -> str:
    """The document; nothing at all when there are no blocks."""
    if not given:
        return ""
    if len(given) == 1 and given[0].kind == RAW and _decoded(given[0].answers["json"]) is None:
        return given[0].answers["json"]
    return _json({"type": "doc", "content": [_node(block) for block in given]})


def new(kind: str) -> Block:
    """A block as it is when somebody adds it."""
    return Block(kind, dict(FRESH.get(kind, {})))


def read(form: Form, prefix: str) -> list[Block]:
    """The blocks that a form sent, in its order."""
    found = []
    for name in form.names():
        if not (match := re.fullmatch(rf"{re.escape(prefix)}\.(\d+)\.kind", name)):
            continue
        kind = form.get(name)
        start = f"{prefix}.{match[1]}."
        asked = ("json",) if kind not in KINDS else tuple(ask.name for ask in KINDS[kind].asks)
        answers = {ask: form.get(start + ask) for ask in asked}
        found.append(Block(kind if kind in KINDS else RAW, answers, form.get(start + "was")))
    return found[:_MOST]


def changed(given: list[Block], verb: str, place: int) -> tuple[list[Block], int]:
    """The list after a move, a copy or a removal, and where to look now."""
    if not 0 <= place < len(given):
        return given, 0
    block, rest = given[place], [*given[:place], *given[place + 1 :]]
    if verb == "drop":
        return rest, max(place - 1, 0)
    if verb == "copy":
        return [*given[: place + 1], block, *given[place + 1 :]], place + 1
    target = place + (-1 if verb == "up" else 1)
    target = min(max(target, 0), len(rest))
    return [*rest[:target], block, *rest[target:]], target


def told(text: str) -> list[str]:
    """The document in words, a block a line, for showing differences."""
    lines = []
    for block in blocks(text):
        label = KINDS[block.kind].label if block.kind in KINDS else "Block"
        said = " · ".join(
            value.replace("\n", " / ") for name, value in block.answers.items() if value
        )
        lines.append(f"{label}: {said}" if said else label)
    return lines


def _block(node: Node) -> Block:
    kind = KINDS.get(str(node.get("type")))
    if kind is None:
        return Block(RAW, {"json": _json(node)})
    try:
        answers = kind.read(node)
    except (CannotSayError, AttributeError, TypeError):
        return Block(RAW, {"json": _json(node)})
    block = Block(str(node["type"]), answers)
    return block if _made(block) == node else Block(block.kind, answers, _json(node))


def _node(block: Block) -> Node:
    if block.kind == RAW:
        decoded = _decoded(block.answers["json"])
        return decoded if decoded is not None else paragraph(block.answers["json"])
    was = _decoded(block.was) if block.was else None
    if was is None or was.get("type") != block.kind:
        return _made(block)
    try:
        if KINDS[block.kind].read(was) == block.answers:
            return was
    except (CannotSayError, AttributeError, TypeError):
        return _made(block)
    made = _made(block)
    attrs = {**(was.get("attrs") or {}), **made.get("attrs", {})}
    return {**made, "attrs": attrs} if attrs else made


def _made(block: Block) -> Node:
    return {"type": block.kind, **KINDS[block.kind].make(block.answers)}


def _decoded(text: str) -> Node | None:
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, dict) else None


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
