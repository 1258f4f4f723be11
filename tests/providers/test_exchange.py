"""Requests become bytes, and overrides are laid over them first."""

from typing import Any

import pytest

from tidings.providers.exchange import Form, Json, Multipart, Part, Raw, Request, Response, encode
from tidings.providers.overrides import lay_over
from tidings.providers.signing import HmacBody, hmac_hex

URL = "https://vendor.example/send"


def test_json_form_raw_and_query() -> None:
    made = encode(Request(url=URL, query={"a": ["1", "2"]}, body=Json({"x": 1})))
    assert made.url == URL + "?a=1&a=2"
    assert made.body == b'{"x":1}'
    assert made.headers == {"Content-Type": "application/json"}
    form = encode(Request(url=URL + "?k=v", query={"a": 1}, body=Form({"to": "+1", "no": None})))
    assert form.url == URL + "?k=v&a=1"
    assert form.body == b"to=%2B1"
    assert encode(Request(url=URL, body=Raw(b"<x/>", "text/xml"))).body == b"<x/>"
    assert encode(Request(url=URL, method="GET")).headers == {}


def test_multipart_carries_files_and_survives_its_own_boundary() -> None:
    inner = encode(Request(url=URL, body=Multipart((Part(name="a", content="1"),)))).body
    made = encode(
        Request(
            url=URL,
            body=Multipart(
                (
                    Part(name="to", content="ada@example.com"),
                    Part(name='f"', content=inner, filename="x\r\n.bin", mime="image/png"),
                )
            ),
        )
    )
    boundary = made.headers["Content-Type"].partition("boundary=")[2]
    assert made.body.count(b"--" + boundary.encode() + b"\r\n") == 2
    assert b'name="f%22"; filename="x%0D%0A.bin"' in made.body
    assert inner in made.body


def test_a_signature_covers_the_bytes_with_overrides() -> None:
    request = Request(url=URL, body=Json({"a": 1}), signer=HmacBody(key="k"))
    made = encode(lay_over(request, {"_passthrough": {"body": {"b": 2}}}))
    assert made.headers["X-Tidings-Signature"] == hmac_hex("k", b'{"a":1,"b":2}')


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (Json({"a": {"x": 1, "y": 2}}), Json({"a": {"x": 9, "y": 2}, "own": 1, "b": True})),
        (Json([{"a": 1}]), Json([{"a": {"x": 9}, "own": 1, "b": True}])),
        (Form({"a": "1"}), Form({"a": '{"x":9}', "own": 1, "b": "true"})),
        (None, Json({"a": {"x": 9}, "own": 1, "b": True})),
        (Raw(b"x", "text/plain"), Raw(b"x", "text/plain")),
    ],
)
def test_overrides_reach_every_kind_of_body(body: Any, expected: Any) -> None:
    overrides = {"own": 1, "_passthrough": {"body": {"a": {"x": 9}, "b": True}}}
    assert lay_over(Request(url=URL, body=body), overrides).body == expected


def test_passthrough_headers_replace_whatever_the_case_and_query_is_added() -> None:
    overrides = {"_passthrough": {"headers": {"x-a": "2\r\nevil: 1"}, "query": {"q": "1"}}}
    made = lay_over(Request(url=URL, headers={"X-A": "1"}), overrides)
    assert made.headers == {"x-a": "2  evil: 1"}
    assert made.query == {"q": "1"}


def test_overrides_can_be_limited() -> None:
    overrides = {"own": 1, "_passthrough": {"body": {"b": 2}}}
    only = lay_over(Request(url=URL, body=Json({}), overrides="passthrough"), overrides)
    assert only.body == Json({"b": 2})
    none = Request(url=URL, body=Json({}), overrides="none")
    assert lay_over(none, overrides) == none


def test_a_body_that_is_no_json_reads_as_none() -> None:
    assert Response(status=200, body=b"\xff<html>").json() is None
