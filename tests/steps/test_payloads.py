"""Payloads against the schema that people write."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.steps import payloads

SCHEMA = {
    "type": "object",
    "properties": {
        "orderId": {"type": "string", "minLength": 1},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"qty": {"type": "integer", "default": 1}},
                "required": ["sku"],
            },
        },
        "address": {"$ref": "#/$defs/address"},
    },
    "required": ["orderId"],
    "additionalProperties": False,
    "$defs": {"address": {"type": "object", "properties": {"country": {"default": "FR"}}}},
}


def test_all_findings_with_their_places() -> None:
    value = {"orderId": "", "items": [{"qty": "two"}], "extra": 1}
    found = payloads.findings(SCHEMA, value)
    assert {each.field for each in found} == {"orderId", "items.0.sku", "items.0.qty", "extra"}
    by_field = {each.field: each for each in found}
    assert by_field["items.0.qty"].value == "two"
    assert by_field["items.0.qty"].schema_path == "#/properties/items/items/properties/qty/type"
    assert by_field["extra"].message == "is not allowed"
    assert by_field["items.0.sku"].message == "is required"


def test_a_good_payload_has_none() -> None:
    assert payloads.findings(SCHEMA, {"orderId": "1"}) == []


def test_defaults_are_filled_in_where_nothing_is_said() -> None:
    value = {"items": [{"sku": "a"}, {"sku": "b", "qty": 2}], "address": {}}
    assert payloads.with_defaults(SCHEMA, value) == {
        "items": [{"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}],
        "address": {"country": "FR"},
    }
    assert value["address"] == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"pattern": "("},
        [],
    ],
)
def test_schemas_that_cannot_be_used(schema: Any) -> None:
    with pytest.raises(payloads.BadSchemaError):
        payloads.check_schema(schema)


def test_patterns_run_in_linear_time() -> None:
    schema = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    assert payloads.findings(schema, {"a": "a" * 50_000 + "b"})


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}, "x": {"default": 1}}}
    assert payloads.with_defaults(schema, {"next": {}})["x"] == 1


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()))
def test_no_payload_upsets_it(value: dict[str, Any]) -> None:
    assert isinstance(payloads.findings(SCHEMA, value), list)
