"""Texts that are not HTML."""

from tidings.rendering import plain

VARIABLES = {"payload": {"name": "Tom & <Jerry>", "lines": "a\r\nBcc: x"}}


def test_nothing_is_escaped() -> None:
    assert plain.message(" Hi {{ payload.name }} ", VARIABLES) == "Hi Tom & <Jerry>"
    assert plain.push({"subject": "{{ payload.name }}", "body": "b"}, VARIABLES) == plain.Push(
        "Tom & <Jerry>", "b"
    )


def test_a_subject_is_one_line() -> None:
    assert plain.subject("{{ payload.lines }}", VARIABLES) == "a Bcc: x"


def test_html_becomes_readable_text() -> None:
    html = (
        "<h1>Hello &amp; welcome</h1><p>See <a href='https://a.example/?b=1&amp;c'>this</a> or "
        "<a href='https://b.example'>https://b.example</a><br>bye</p>"
        "<ul><li>one</li><li>two<ol><li>in</li><li>ner</li></ol></li></ul>"
        "<hr><blockquote><p>said</p></blockquote>"
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table><img src='x' alt='pic'>"
    )
    assert plain.from_html(html) == (
        "Hello & welcome\n\n"
        "See this (https://a.example/?b=1&c) or https://b.example\nbye\n\n"
        "- one\n- two\n  1. in\n  2. ner\n\n---\n\n> said\n\na b\nc\n\npic"
    )


def test_a_paragraph_that_looks_like_the_mark_of_a_list_stands_alone() -> None:
    assert plain.from_html("<p>-</p><p>5.</p><p>end</p>") == "-\n\n5.\n\nend"
    assert plain.from_html("<ol><li>first</li><li><p>second</p></li></ol>") == "1. first\n2. second"
