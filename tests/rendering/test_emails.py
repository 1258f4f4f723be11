"""Whole e-mails: layouts, head, sanitising and the text part."""

import json

import pytest

from tidings.rendering.emails import (
    DEFAULT_LAYOUT,
    Editor,
    body_variables,
    check_body,
    check_layout,
    render_email,
)
from tidings.rendering.templates import TemplateError, Variable

VARIABLES = {"subscriber": {"firstName": "Ann"}, "payload": {"html": "<b>x</b><script>y</script>"}}
BLOCKS = json.dumps(
    {
        "type": "doc",
        "content": [
            {
                "type": "paragraph",
                "content": [{"type": "text", "text": "Hi {{subscriber.firstName}} & co"}],
            }
        ],
    }
)
BLOCK_LAYOUT = json.dumps(
    {
        "type": "doc",
        "content": [
            {"type": "heading", "content": [{"type": "text", "text": "Acme"}]},
            {"type": "paragraph", "content": [{"type": "variable", "attrs": {"id": "content"}}]},
        ],
    }
)


def test_blocks_in_the_default_layout() -> None:
    email = render_email(
        BLOCKS,
        "block",
        VARIABLES,
        layout=DEFAULT_LAYOUT,
        sanitize=True,
        preheader="Pre & view",
        title="T < x",
    )
    assert email.html.startswith("<!DOCTYPE html>")
    for part in (
        "<title>T &lt; x</title>",
        "Pre &amp; view",
        'name="viewport"',
        'content="light dark"',
        "max-width:600px",
        "Hi Ann &amp; co",
        "@media only screen and (max-width:480px)",
    ):
        assert part in email.html
    assert email.text == "Hi Ann & co"


def test_blocks_without_layout_stand_in_a_plain_column() -> None:
    email = render_email(BLOCKS, "block", VARIABLES, layout=None, sanitize=True)
    assert "max-width:600px" in email.html
    assert 'class="t-page"' not in email.html


def test_an_html_body_takes_html_from_values_and_is_cleaned() -> None:
    email = render_email("<p>{{payload.html}}</p>", "html", VARIABLES, layout=None, sanitize=True)
    assert "<p><b>x</b></p>" in email.html
    assert "<script" not in email.html
    assert email.text == "x"


def test_sanitising_can_be_switched_off() -> None:
    email = render_email("<p>{{payload.html}}</p>", "html", VARIABLES, layout=None, sanitize=False)
    assert "<script>y</script>" in email.html
    assert email.text == "x"


def test_a_whole_document_keeps_its_styles_when_cleaned() -> None:
    body = (
        "<!doctype html><html><head><title>t</title><style>.a{color:red}</style></head>"
        '<body style="background-color:#eee"><p class="a">x</p></body></html>'
    )
    email = render_email(body, "html", {}, layout=None, sanitize=True)
    assert email.html.count("<html") == 1
    assert ".a{color:red}" in email.html
    assert 'style="background-color:#eee"><p class="a">x</p>' in email.html
    assert email.text == "x"
    assert render_email(body, "html", {}, layout=None, sanitize=False).html == body


HTML_BODY = "<p>Hi {{subscriber.firstName}} &amp; co</p>"
HTML_LAYOUT = "<h1>Acme</h1>{{content}}"


@pytest.mark.parametrize(("body", "kind"), [(BLOCKS, "block"), (HTML_BODY, "html")])
@pytest.mark.parametrize(
    ("layout", "layout_kind"), [(BLOCK_LAYOUT, "block"), (HTML_LAYOUT, "html")]
)
def test_layouts_of_either_kind_hold_bodies_of_either_kind(
    body: str, kind: Editor, layout: str, layout_kind: Editor
) -> None:
    email = render_email(
        body, kind, VARIABLES, layout=layout, layout_editor=layout_kind, sanitize=True
    )
    assert email.text == "Acme\n\nHi Ann & co"


def test_a_layout_needs_a_place_for_the_message() -> None:
    with pytest.raises(TemplateError, match=r"put \{\{content\}\}"):
        render_email("x", "html", {}, layout="<p>no place</p>", sanitize=True)
    assert "content" in check_layout("<p></p>", "html")[0].message
    assert check_layout("<p>{{ content }}</p>", "html") == []
    assert check_layout(BLOCK_LAYOUT, "block") == []


def test_bodies_are_checked_and_read_without_rendering() -> None:
    broken = BLOCKS.replace("{{subscriber.firstName}}", "{{subscriber.firstName | nope}}")
    assert [fault.kind for fault in check_body(broken, "block")] == ["unknown_filter"]
    assert check_body("{{ x", "html")[0].kind == "syntax"
    assert "block document" in check_body("<p>", "block")[0].message
    assert body_variables(BLOCKS, "block") == [Variable("subscriber.firstName", 1)]
    assert body_variables("{", "block") == []
