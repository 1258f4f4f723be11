"""Reports that come in several ways and spellings."""

from datetime import UTC, datetime

import pytest

from tidings.providers.exchange import Webhook
from tidings.providers.reports import fields, word

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", {"a": "1", "b": "2"}),
        (b"b=3&c=", {"a": "1", "b": "3", "c": ""}),
        (b'{"b":3,"c":null}', {"a": "1", "b": 3, "c": None}),
        (b"[1]", {"a": "1", "b": "2", "[1]": ""}),
    ],
)
def test_query_form_and_json_are_read_alike(body: bytes, expected: dict[str, object]) -> None:
    webhook = Webhook(url="https://x.example", query={"a": "1", "b": "2"}, body=body, at=NOW)
    assert fields(webhook) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"status": {"name": " DELIVERED "}}, "delivered"),
        ({"status": {"name": ""}, "code": 4}, "4"),
        ({"code": ["x"]}, ""),
        ({}, ""),
    ],
)
def test_a_word_whatever_its_case(entry: dict[str, object], expected: str) -> None:
    assert word("status.name", "code")(entry) == expected
