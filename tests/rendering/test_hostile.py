"""Templates and documents that mean harm: a fault, soon, and the next one renders as ever."""

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidings.rendering.emails import body_variables, check_body, render_email
from tidings.rendering.sanitizing import clean, clean_inline, style_sheets
from tidings.rendering.templates import TemplateError, check, render, render_values, variables

BIG = "a" * 300_000
VARIABLES: dict[str, Any] = {
    "payload": {
        "big": BIG,
        "same": "a" * 300_000,
        "list": list(range(50_000)),
        "texts": [str(number) for number in range(50_000)],
        "object": {str(number): {"a": [number] * 5} for number in range(3_000)},
        "object2": {str(number): {"a": [number] * 5} for number in range(3_000)},
        "open": "<script" * 50_000,
        "opened": "<script>" * 50_000,
    }
}

LIMITED = {
    "loops of loops": "{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}x"
    "{% endfor %}{% endfor %}{% endfor %}",
    "empty loops": "{% for a in (1..9999) %}{% for b in (1..9999) %}{% endfor %}{% endfor %}",
    "a huge range": "{% for a in (1..1000000000000) %}x{% endfor %}",
    "a huge range joined": "{{ (1..1000000000) | join: 'x' }}",
    "a huge range searched": "{% if (1..1000000000) contains 'x' %}{% endif %}",
    "a range of unheard-of size": "{% for a in (1.." + "9" * 3000 + ") %}{% endfor %}",
    "doubling by append": "{% assign a = 'aaaaaaaa' %}" + "{% assign a = a | append: a %}" * 60,
    "doubling by capture": "{% assign a = 'aaaaaaaa' %}"
    + "{% capture a %}{{ a }}{{ a }}{% endcapture %}" * 60,
    "doubling by concat": "{% assign a = payload.list %}" + "{% assign a = a | concat: a %}" * 30,
    "doubling by times": "{% assign a = 9999 %}" + "{% assign a = a | times: a %}" * 60,
    "replacing nothing": "{{ payload.big | replace: '', payload.big }}",
    "replacing everything": "{{ payload.big | replace: 'a', payload.big }}",
    "joining with much": "{{ payload.list | join: payload.big }}",
    "splitting into letters": "{{ payload.big | split: '' | size }}",
    "comparing texts": "{% for i in (1..99999) %}{% if payload.big == payload.same %}{% endif %}"
    "{% endfor %}",
    "searching texts": "{% for i in (1..99999) %}{% if payload.big contains 'ab' %}{% endif %}"
    "{% endfor %}",
    "comparing objects": "{% for i in (1..99999) %}"
    "{% if payload.object == payload.object2 %}{% endif %}{% endfor %}",
    "sorting": "{% for i in (1..9999) %}{% assign x = payload.texts | sort %}{% endfor %}",
    "skipping": "{% for i in (1..99999) %}{% for j in payload.list offset: 49999 %}{% endfor %}"
    "{% endfor %}",
    "encoding": "{% for i in (1..9999) %}{% assign x = payload.object | json %}{% endfor %}",
    "counting": "{% for i in (1..99999) %}{% increment a %}{% cycle 'a', 'b' %}{% endfor %}",
    "a wide table": "{% tablerow i in (1..99999) %}{{ payload.big }}{% endtablerow %}",
    "a long loop body": "{% for i in (1..99999) %}"
    + "{% if 1 == 2 %}{% endif %}" * 2000
    + "{% endfor %}",
    "many outputs": "{{ a }}" * 100_000,
    "nested tags": "{% if a %}" * 2000 + "{% endif %}" * 2000,
    "nested brackets": "{{ " + "a[" * 900 + "b" + "]" * 900 + " }}",
    "a chain of ands": "{% if " + " and ".join(["a"] * 600) + " %}{% endif %}",
    "ten megabytes": "x" * 10_000_000,
    "ten megabytes of Liquid": "{{ x }}" * 1_500_000,
}
BROKEN = {
    "unclosed outputs": "{{" * 400_000,
    "unclosed tags": "{%" * 400_000,
    "an output of blanks": "{{" + " " * 900_000,
    "unclosed raws": "{% raw %}" * 100_000,
    "unclosed comments": "{% comment %}" * 70_000,
    "quotes": ("{{ " + "'" * 3901 + " }}") * 40,
    "parentheses": ("{{ " + "(" * 3900 + " }}") * 40,
}


@pytest.mark.parametrize("template", LIMITED.values(), ids=LIMITED.keys())
def test_limits(template: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render(template, VARIABLES)
    assert caught.value.fault.kind == "limit"
    assert caught.value.fault.message.endswith(".")
    check(template)
    variables(template)
    assert render("{{ payload.list[3] }}", VARIABLES) == "3"


@pytest.mark.parametrize("template", BROKEN.values(), ids=BROKEN.keys())
def test_broken(template: str) -> None:
    (fault,) = check(template)
    assert fault.kind in ("syntax", "limit")


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'now' | date: '%1000000000d' }}",
        "{{ payload.big | date: payload.big }}",
        "{{ payload.open | strip_html | size }}",
        "{{ payload.opened | strip_html | size }}",
        "{{ payload.texts | uniq | size }}",
        "{{ payload.big | slice: -99999999999999999999, 99999999999999999999 | size }}",
        "{{ payload.big | url_encode | escape | size }}",
        "{{ 1.5 | round: 100000000000 }}",
        "{{ payload.object | json | size }}",
    ],
)
def test_heavy_filters_end(template: str) -> None:
    render(template, VARIABLES)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000,
        "<b>" * 100_000,
        "<b><p>" * 50_000,
        "".join(f"<b a={number}>" for number in range(1_000)) + "<p>" * 40_000,
        "<table><tr><td>" * 30_000,
        "<div></b>" * 20_000,
        "x" * 3_000_000,
    ],
)
def test_html_that_would_keep_the_parser_busy_is_refused(html: str) -> None:
    with pytest.raises(TemplateError) as caught:
        clean(html)
    assert caught.value.fault.kind == "limit"


@pytest.mark.parametrize("html", ["<" * 400_000, "<!--" * 100_000, "<p>" * 40_000, "<style" * 200])
def test_odd_html_is_cleaned(html: str) -> None:
    clean(html)
    clean_inline(html)
    style_sheets(html)


def test_values_nested_beyond_measure() -> None:
    value: Any = "{{ x }}"
    for _ in range(5_000):
        value = [value]
    with pytest.raises(TemplateError):
        render_values(value, {})


def _nested(depth: int) -> str:
    return '{"type":"section","content":[' * depth + "]}" * depth


@pytest.mark.parametrize(
    "body",
    [
        _nested(100),
        _nested(100_000),
        '{"type":"doc","content":[' + ",".join(['{"type":"paragraph"}'] * 10_000) + "]}",
        json.dumps({"type": "doc", "content": [{"type": "text", "text": "x" * 10_000_000}]}),
    ],
)
def test_documents_beyond_the_limits(body: str) -> None:
    (fault,) = check_body(body, "block")
    assert fault.kind in ("limit", "syntax")
    with pytest.raises(TemplateError):
        render_email(body, "block", {}, layout=None, sanitize=True)


_liquid = st.lists(
    st.sampled_from(
        ["{{", "}}", "{%", "%}", "-", " ", "\n", "|", ":", ",", "'", '"', "[", "]", "(", ")", "..",
         ".", "for ", "in ", "if ", "endfor", "endif", "else", "assign ", "=", "==", "payload",
         "payload.list", "x", "1", "99999", "append", "times", "json", "digest", "toSentence",
         "raw", "endraw", "comment", "capture ", "endcapture", "contains ", "liquid ", "cycle ",
         "tablerow ", "case ", "when ", "limit", "reversed", "date", "sort", "map"]
    )
    | st.text(alphabet=string.printable, max_size=4),
    max_size=30,
).map("".join)  # fmt: skip


@settings(max_examples=200)
@given(_liquid, st.booleans())
def test_any_template_renders_or_is_at_fault(template: str, escape: bool) -> None:
    small = {"payload": {"list": [3, "b", None, {"a": 1}], "x": {"y": 2}}, "x": "<&>"}
    check(template)
    variables(template)
    try:
        assert isinstance(render(template, small, escape=escape), str)
    except TemplateError:
        return


_TYPES = [
    "doc", "paragraph", "heading", "text", "variable", "hardBreak", "inlineImage", "bulletList",
    "orderedList", "listItem", "blockquote", "button", "image", "logo", "horizontalRule", "spacer",
    "section", "columns", "column", "repeat", "htmlCodeBlock", "linkCard", "footer", "unknown",
]  # fmt: skip
_ATTRIBUTES = [
    "id", "text", "url", "src", "href", "each", "level", "width", "height", "textAlign",
    "showIfKey", "isUrlVariable", "isTextVariable", "isSrcVariable", "fallback", "aliasFor",
    "buttonColor", "gap", "iterations", "borderRadius", "color", "link", "title",
]  # fmt: skip
_value = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["payload.list", "payload.x", "{{payload.x}}", "javascript:alert(1)", "50%"])
    | st.text(max_size=12)
)
_attrs = st.dictionaries(st.sampled_from(_ATTRIBUTES), _value, max_size=5)
_node: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({"type": st.sampled_from(_TYPES)}, optional={"text": _value}) | _value,
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(_TYPES) | _value, "attrs": _attrs | _value},
        optional={
            "content": st.lists(inner, max_size=4) | _value,
            "text": _value,
            "marks": st.lists(
                st.fixed_dictionaries(
                    {
                        "type": st.sampled_from(["bold", "link", "textStyle", "highlight", "x"]),
                        "attrs": _attrs,
                    }
                ),
                max_size=2,
            ),
        },
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(_node)
def test_any_document_renders_safely_or_is_at_fault(document: Any) -> None:
    body = json.dumps(document)
    check_body(body, "block")
    body_variables(body, "block")
    small = {"payload": {"list": [1, {"a": "<i>"}], "x": "java\tscript:alert(1)"}}
    try:
        email = render_email(body, "block", small, layout=None, sanitize=False)
    except TemplateError:
        return
    assert 'href="javascript' not in email.html
    assert 'src="javascript' not in email.html
