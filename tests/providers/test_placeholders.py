"""Values are filled in where they cannot change what stands around them."""

from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.providers.exchange import Form, Json, Raw, Request, encode
from tidings.providers.placeholders import (
    body_fault,
    fault,
    fill,
    fill_body,
    fill_header,
    fill_url,
    url_fault,
)

KNOWN = ("to", "content", "customData")
HOSTILE = '"}],\n&to=9#?/../@evil.example {{to}} <x> %00 \\'
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def test_a_text_that_is_one_placeholder_becomes_the_value_itself() -> None:
    body = fill_body(
        '{"to": ["{{to}}"], "n": "{{customData.n}}", "text": "Hi {{to}}!", "gone": "{{content}}"}',
        {"to": "+1", "customData": {"n": 3}, "content": ""},
    )
    assert body == Json({"to": ["+1"], "n": 3, "text": "Hi +1!"})


@given(TEXT)
def test_json_and_forms_carry_any_text_whole(content: str) -> None:
    values = {"to": "+1", "content": content}
    assert fill_body('{"a": "x{{content}}"}', values) == Json({"a": "x" + content})
    form = fill_body("to={{to}}&text=x{{content}}", values)
    assert form == Form({"to": ["+1"], "text": ["x" + content]})
    sent = encode(Request(url="https://a.example", body=form)).body.decode()
    assert parse_qs(sent, keep_blank_values=True) == {"to": ["+1"], "text": ["x" + content]}


@given(TEXT)
def test_an_address_stays_the_same_place(content: str) -> None:
    url = fill_url("https://sms.example/to/{{to}}?text=x{{content}}", {"to": content} | {
        "content": content
    })  # fmt: skip
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "sms.example", "")
    assert parse_qs(parts.query, keep_blank_values=True) == {"text": ["x" + content]}
    assert parts.path.count("/") == 2


def test_xml_and_text() -> None:
    filled = fill_body("<sms to='{{to}}'>{{content}}</sms>", {"to": "'+1'", "content": HOSTILE})
    assert isinstance(filled, Raw)
    root = ElementTree.fromstring(filled.content.decode())
    assert (root.get("to"), root.text, filled.mime) == ("'+1'", HOSTILE, "application/xml")
    assert fill_body("{{to}} says {{content}}", {"to": "a", "content": "b"}) == Raw(
        b"a says b", "text/plain; charset=utf-8"
    )


def test_a_header_stays_one_line() -> None:
    assert fill_header("Bearer {{to}}", {"to": "a\r\nX-Evil: 1"}) == "Bearer a X-Evil: 1"


def test_lists_objects_and_nothing_as_text() -> None:
    values = {"to": ["a", "b"], "customData": {"n": True}, "content": None}
    assert fill("{{ to }}|{{customData}}|{{customData.n}}|{{content}}|{{to.1}}", values) == (
        'a,b|{"n":true}|true||b'
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"to": "{{recipient}}"}', "must not hold {{recipient}}"),
        ('{"to": {{to}}}', "inside quotes"),
        ('{"to": ', "inside quotes"),
        ("to={{to}}&text={{ what | upcase }}", "begins no placeholder"),
        ("[" * 100_000, "inside quotes"),
    ],
)
def test_what_cannot_be_filled_is_named(body: str, words: str) -> None:
    assert words in (body_fault(body, KNOWN) or "")


def test_what_can_be_filled_is_not() -> None:
    for body in ('{"to": "{{to}}"}', "to={{to}}", "<a>{{content}}</a>", "{{to}}", "[]"):
        assert body_fault(body, KNOWN) is None
    assert fault("{{customData.a.b}}", KNOWN) is None


def test_a_host_has_no_placeholders() -> None:
    assert "host" in (url_fault("https://{{to}}.example/x", KNOWN) or "")
    assert url_fault("https://a.example/{{to}}?x={{content}}", KNOWN) is None
    assert fill_url("https://{{to}}.example/{{to}}", {"to": "evil"}) == (
        "https://{{to}}.example/evil"
    )
