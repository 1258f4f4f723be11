"""Block documents: every node, mark and attribute of the editor."""

import json
from typing import Any

import pytest

from tidings.rendering import blocks, templates
from tidings.rendering.templates import TemplateError

VARIABLES: dict[str, Any] = {
    "payload": {
        "name": "Ann <b>",
        "url": "https://a.example/?x=1&y=2",
        "bad": "java\tscript:alert(1)",
        "items": [
            {"name": "Mug", "tags": ["a", "b"], "url": "https://a.example/1"},
            {"name": "Tea", "tags": [], "url": "javascript:x"},
        ],
        "words": ["x", "y"],
        "yes": True,
        "zero": 0,
        "empty": "",
        "no": "false",
        "html": "<b>bold</b>",
    },
    "steps": {"digest-step": {"events": [{"payload": {"n": 1}}, {"payload": {"n": 2}}]}},
}


def text(value: str, *marks: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, "marks": list(marks)}


def node(type_: str, *content: Any, **attrs: Any) -> dict[str, Any]:
    return {"type": type_, "attrs": attrs, "content": list(content)}


def html(*nodes: Any) -> str:
    source = blocks.template(json.dumps({"type": "doc", "content": list(nodes)}))
    return templates.render(source, VARIABLES, escape=True)


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        (node("paragraph", text("a < b & c")), ["<p ", "a &lt; b &amp; c</p>", "text-align:left"]),
        (node("paragraph", text("x"), textAlign="right"), ["text-align:right"]),
        (node("paragraph"), ["&nbsp;</p>"]),
        (node("heading", text("x"), level=1), ["<h1 ", "x</h1>"]),
        (node("heading", text("x"), level=3, textAlign="center"), ["<h3 ", "text-align:center"]),
        (node("heading", text("x"), level=99), ["<h6 "]),
        (node("footer", text("x"), textAlign="center"), ["<p ", "font-size:13px"]),
        (node("paragraph", text("Hi {{payload.name}}")), ["Hi Ann &lt;b&gt;"]),
        (node("paragraph", node("variable", id="payload.name")), ["Ann &lt;b&gt;"]),
        (node("paragraph", node("variable", id="payload.none", fallback="it's <b>")),
         ["it&#x27;s &lt;b&gt;"]),
        (node("paragraph", node("variable", id="payload.name | upcase")), ["ANN &lt;B&gt;"]),
        (node("paragraph", text("a"), node("hardBreak"), text("b")), ["a<br>b"]),
        (node("paragraph", node("inlineImage", src="https://a.example/i.png", width=16, height=18,
              alt='"x"')),
         ['<img src="https://a.example/i.png"', 'width="16"', 'height="18"', 'alt="&quot;x&q']),
        (node("paragraph", node("inlineImage", src="payload.url", isSrcVariable=True,
              externalLink="https://b.example")),
         ['<a href="https://b.example"', 'src="https://a.example/?x=1&amp;y=2"']),
        (node("bulletList", node("listItem", node("paragraph", text("x")))), ["<ul ", "<li ", "x"]),
        (node("orderedList", node("listItem", node("paragraph", text("x"))), start=3),
         ['<ol start="3"', "<li "]),
        (node("blockquote", node("paragraph", text("x"))), ["<blockquote ", "x</p></blockquote>"]),
        (node("horizontalRule"), ["<hr "]),
        (node("spacer", height=24), ["height:24px"]),
        (node("spacer", height="xl"), ["height:64px"]),
        (node("button", text="Go & see", url="https://a.example/{{payload.words[0]}}?a=1&b=2",
              alignment="center", buttonColor="#ff0000", textColor="#00ff00", borderRadius="round"),
         ['href="https://a.example/x?a=1&amp;b=2"', "Go &amp; see</a>", 'align="center"',
          'bgcolor="#ff0000"', "color:#00ff00", "border-radius:9999px"]),
        (node("button", text="payload.name", isTextVariable=True, url="payload.url",
              isUrlVariable=True, variant="outline"),
         ['href="https://a.example/?x=1&amp;y=2"', "Ann &lt;b&gt;</a>"]),
        (node("button", text="x", width="100%"), ['border="0" width="100%"', "display:block"]),
        (node("image", src="https://a.example/i.png", alt="x", width="200", borderRadius=8),
         ['src="https://a.example/i.png"', 'width="200"', "max-width:100%", "border-radius:8px"]),
        (node("image", src="payload.url", isSrcVariable=True, externalLink="payload.url",
              isExternalLinkVariable=True, width="50%"),
         ['<a href="https://a.example/?x=1&amp;y=2"', "width:50%"]),
        (node("logo", src="https://a.example/i.png", size="lg", alignment="right"),
         ['width="64"', 'align="right"']),
        (node("section", node("paragraph", text("x")), backgroundColor="#f8f8f8", paddingTop=4,
              borderWidth=2, borderColor="red", borderRadius=6),
         ['bgcolor="#f8f8f8"', "padding:4px 0px 0px 0px", "border:2px solid red"]),
        (node("columns", node("column", node("paragraph", text("l")), width="30"),
              node("column", node("paragraph", text("r")), width="auto", verticalAlign="middle"),
              gap=12),
         ['class="t-column" width="30%"', 'width="70%" valign="middle"', 'class="t-gap"']),
        (node("linkCard", title="T", description="D", link="https://a.example", badgeText="New",
              image="https://a.example/i.png", linkTitle="More"),
         ['<a href="https://a.example"', "T", "D", "New", "More"]),
        (node("htmlCodeBlock", text("<i>{{payload.html}}</i>")), ["<i><b>bold</b></i>"]),
        (node("mystery", node("paragraph", text("inside"))), ["inside"]),
        (text("stray"), ["<p ", "stray"]),
        (node("paragraph", text("{% if payload.yes %}"), text("both", {"type": "bold"}),
              text("{% endif %}")), ["<strong>both</strong>"]),
    ],
)  # fmt: skip
def test_nodes(given: Any, parts: list[str]) -> None:
    seen = html(given)
    for part in parts:
        assert part in seen


@pytest.mark.parametrize(
    ("marks", "result"),
    [
        ([{"type": "bold"}], "<strong>x</strong>"),
        ([{"type": "italic"}], "<em>x</em>"),
        ([{"type": "underline"}], "<u>x</u>"),
        ([{"type": "strike"}], "<s>x</s>"),
        ([{"type": "code"}], "<code>x</code>"),
        ([{"type": "unheard-of"}], ">x<"),
        ([{"type": "textStyle", "attrs": {"color": "#123456"}}],
         '<span style="color:#123456">x</span>'),
        ([{"type": "textStyle", "attrs": {"color": ""}}], ">x</p>"),
        ([{"type": "highlight", "attrs": {"color": "red"}}], "background-color:red"),
        ([{"type": "link", "attrs": {"href": "https://a.example"}}],
         '<a href="https://a.example" class="t-head" target="_blank"'),
        ([{"type": "link", "attrs": {"href": "payload.url", "isUrlVariable": True}}],
         'href="https://a.example/?x=1&amp;y=2"'),
        ([{"type": "bold"}, {"type": "link", "attrs": {"href": "https://a.example"}}],
         "<strong>x</strong></a>"),
    ],
)  # fmt: skip
def test_marks(marks: Any, result: str) -> None:
    assert result in html(node("paragraph", text("x", *marks)))


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("payload.yes", True),
        ("payload.name", True),
        ("{{payload.yes}}", True),
        ("payload.zero", False),
        ("payload.empty", False),
        ("payload.no", False),
        ("payload.absent", False),
        (None, True),
        ("", True),
    ],
)
def test_conditional_show(key: Any, shown: bool) -> None:
    assert ("x</p>" in html(node("paragraph", text("x"), showIfKey=key))) is shown


def test_repeat_shows_each_item() -> None:
    seen = html(
        node(
            "repeat",
            node("paragraph", node("variable", id="current.name"), text(" {{payload.items.name}}")),
            node("button", text="Go", url="current.url", isUrlVariable=True),
            each="payload.items",
        )
    )
    assert "Mug Mug" in seen
    assert "Tea Tea" in seen
    assert seen.count("href=") == 1


def test_repeat_in_repeat_over_texts_and_with_a_limit() -> None:
    inner = node("repeat", node("paragraph", text("{{current}}!")), each="current.tags")
    seen = html(node("repeat", inner, each="payload.items", iterations=1))
    assert "a!" in seen
    assert "b!" in seen
    assert "z" not in html(node("repeat", node("paragraph", text("z")), each="payload.absent"))


def test_a_digest_block_with_an_alias() -> None:
    alias = node("variable", id="current.payload.n", aliasFor="steps.other.events.payload.n")
    outside = node("variable", id="x", aliasFor="payload.words[1]")
    seen = html(
        node("repeat", node("paragraph", text("n"), alias), each="steps.digest-step.events"),
        node("paragraph", text("w"), outside),
    )
    assert "n1<" in seen
    assert "n2<" in seen
    assert "wy<" in seen


def test_repeating_what_is_no_list_is_a_fault() -> None:
    with pytest.raises(TemplateError, match="needs a list"):
        html(node("repeat", node("paragraph"), each="payload.name"))


@pytest.mark.parametrize(
    "attrs",
    [
        {"buttonColor": 'red" onclick="x'},
        {"buttonColor": "red;background:url(javascript:x)"},
        {"textColor": "expression(alert(1))"},
        {"alignment": 'left"><script>'},
        {"borderRadius": '1"><script>'},
        {"url": "javascript:alert(1)"},
        {"url": "payload.bad", "isUrlVariable": True},
        {"url": '"><script>alert(1)</script>'},
        {"url": "x }}<script>{{ y", "isUrlVariable": True},
        {"text": "<script>alert(1)</script>"},
        {"text": 'a }}<script>{{ "b', "isTextVariable": True},
        {"paddingTop": '1px"><script>'},
        {"width": {"a": 1}, "url": ["x"], "text": {"b": 2}},
        {"showIfKey": "x %}<script>{% if y"},
    ],
)
def test_attributes_cannot_break_out(attrs: dict[str, Any]) -> None:
    try:
        seen = html(node("button", **{"text": "x", "url": "https://a.example", **attrs})).lower()
    except TemplateError:
        return
    for word in ("<script", "onclick=", "javascript", "expression("):
        assert word not in seen.replace("&quot; onclick=", "")


@pytest.mark.parametrize("body", ["{", "[]", '"x"', "not json", "null", "<p>html</p>"])
def test_what_is_no_document_is_a_fault(body: str) -> None:
    with pytest.raises(TemplateError, match="not a block document"):
        blocks.template(body)


@pytest.mark.parametrize(
    "body",
    ["", "{}", '{"type":"doc"}', '{"type":"doc","content":null}', '{"content":[1,null,"x",[]]}',
     '{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text"}],"attrs":[]}]}',
     '{"type":"paragraph","content":[{"type":"text","text":"x","marks":[1,{"type":3}]}]}'],
)  # fmt: skip
def test_odd_documents_render(body: str) -> None:
    templates.render(blocks.template(body), VARIABLES, escape=True)
