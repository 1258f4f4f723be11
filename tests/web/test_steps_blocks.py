from typing import Any

import msgspec
import pytest

from tidings.rendering import blocks as rendering
from tidings.web import steps_blocks
from tidings.web.form import Form
from tidings.web.steps_block_kinds import KINDS


def document(*nodes: dict[str, Any]) -> str:
    return msgspec.json.encode({"type": "doc", "content": list(nodes)}).decode()


_TEXT = {"type": "text", "text": "Hello"}
_NODES: list[dict[str, Any]] = [
    {"type": "paragraph", "content": [_TEXT]},
    {"type": "paragraph", "attrs": {"textAlign": None, "showIfKey": "payload.x"}},
    {"type": "heading", "attrs": {"level": 2}, "content": [_TEXT]},
    {
        "type": "button",
        "attrs": {"text": "payload.label", "isTextVariable": True, "url": "https://x.y"},
    },
    {"type": "image", "attrs": {"src": "https://x.y/z.png", "alt": "Z", "height": 20}},
    {"type": "horizontalRule"},
    {"type": "spacer", "attrs": {"height": 24}},
    {"type": "bulletList", "content": [{"type": "listItem", "content": [{"type": "paragraph"}]}]},
    {"type": "columns", "content": [{"type": "column"}, {"type": "column"}, {"type": "column"}]},
    {"type": "htmlCodeBlock", "content": [{"type": "text", "text": "<b>{{ payload.x }}</b>"}]},
    {"type": "paragraph", "content": [{**_TEXT, "marks": [{"type": "highlight"}]}]},
    {"type": "mystery", "attrs": {"a": [1]}, "content": [_TEXT]},
]


@pytest.mark.parametrize("node", _NODES, ids=lambda node: str(node["type"]))
def test_what_is_not_edited_stays_to_the_letter(node: dict[str, Any]) -> None:
    body = document(node)
    blocks = steps_blocks.blocks(body)
    assert msgspec.json.decode(steps_blocks.body(blocks)) == msgspec.json.decode(body)
    assert msgspec.json.decode(steps_blocks.body(steps_blocks.read(_sent(blocks), "b"))) == (
        msgspec.json.decode(body)
    )


def _sent(blocks: list[steps_blocks.Block]) -> Form:
    pairs = []
    for place, block in enumerate(blocks):
        pairs += [(f"b.{place}.kind", block.kind), (f"b.{place}.was", block.was)]
        pairs += [(f"b.{place}.{name}", value) for name, value in block.answers.items()]
    return Form(pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_that_can_be_added_is_drawn_and_read_back(kind: str) -> None:
    made = steps_blocks.Block(
        kind,
        {
            ask.name: ask.choices[-1][0]
            if ask.choices
            else "#112233"
            if ask.look == "color"
            else "x"
            for ask in KINDS[kind].asks
        },
    )
    body = steps_blocks.body([made, steps_blocks.new(kind)])
    assert rendering.template(body)
    again = steps_blocks.blocks(body)[0]
    assert (again.kind, again.answers) == (made.kind, made.answers)


def test_editing_keeps_what_the_form_does_not_show() -> None:
    node = {"type": "paragraph", "attrs": {"showIfKey": "payload.x"}, "content": [_TEXT]}
    (block,) = steps_blocks.blocks(document(node))
    edited = steps_blocks.Block(block.kind, {**block.answers, "text": "Bye"}, block.was)
    made = msgspec.json.decode(steps_blocks.body([edited]))["content"][0]
    assert made["attrs"] == {"showIfKey": "payload.x"}
    assert made["content"] == [{"type": "text", "text": "Bye"}]


def test_a_body_that_is_no_document_is_shown_and_kept() -> None:
    blocks = steps_blocks.blocks("<p>Hello</p>")
    assert blocks[0].kind == "raw"
    assert steps_blocks.body(blocks) == "<p>Hello</p>"


def test_blocks_move_within_the_list() -> None:
    blocks = [steps_blocks.Block("raw", {"json": name}) for name in "abc"]

    def names(verb: str, place: int) -> str:
        return "".join(b.answers["json"] for b in steps_blocks.changed(blocks, verb, place)[0])

    assert names("up", 2) == "acb"
    assert names("up", 0) == "abc"
    assert names("down", 0) == "bac"
    assert names("down", 2) == "abc"
    assert names("drop", 1) == "ac"
    assert names("copy", 1) == "abbc"
    assert names("up", 9) == "abc"
