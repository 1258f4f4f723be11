import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain import schemas

ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {}}}},
        "address": {"$ref": "#/$defs/address"},
        "free": {"type": "object"},
        "open": {"type": "object", "properties": {"a": {}}, "additionalProperties": True},
        "either": {"anyOf": [{"properties": {"x": {}}}, {"properties": {"y": {}}}]},
    },
    "$defs": {"address": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("id", True),
        ("name", False),
        ("id.length", False),
        ("items", True),
        ("items[0].sku", True),
        ("items.0.colour", False),
        ("items.size", True),
        ("address.city", True),
        ("address.street", False),
        ("free.anything.at.all", True),
        ("open.b", True),
        ("either.y", True),
        ("either.z", False),
    ],
)
def test_which_paths_a_schema_knows(path: str, known: bool) -> None:
    assert schemas.knows(ORDER, path) is known


FITTING: list[schemas.Schema] = [
    ORDER,
    {"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 7}}},
    {"type": "object", "properties": {"n": {"type": "number", "exclusiveMinimum": 0}}},
    {"type": "object", "properties": {"s": {"type": "string", "minLength": 30}}},
    {"type": "object", "properties": {"s": {"type": "string", "maxLength": 0}}},
    {"type": "object", "properties": {"s": {"type": ["null", "string"], "format": "email"}}},
    {"type": "object", "properties": {"c": {"const": 5}, "e": {"enum": ["a"]}}},
    {"type": "object", "properties": {"l": {"type": "array", "minItems": 3}}},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}, {"type": "boolean"}]}}},
    {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {}}}]},
]


@pytest.mark.parametrize("schema", FITTING)
def test_an_example_fits_its_schema(schema: schemas.Schema) -> None:
    assert jsonschema_rs.is_valid(schema, schemas.example(schema))


def test_what_the_schema_states_comes_first() -> None:
    properties = {"a": {"example": 1}, "b": {"examples": [2, 3]}, "c": {"default": 4}}
    assert schemas.example({"properties": properties}) == {"a": 1, "b": 2, "c": 4}


def test_an_endless_schema_has_an_example() -> None:
    node: schemas.Schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}},
    }
    assert isinstance(schemas.example(node), dict)


def test_a_schema_from_use() -> None:
    schema = schemas.from_use(["order.id", "order.items[0].sku", "name", "list.size"])
    assert schema["properties"]["name"] == {"type": "string"}
    assert schema["properties"]["order"]["properties"]["items"]["type"] == "array"
    assert schema["properties"]["list"]["type"] == "array"


@given(st.lists(st.from_regex(r"[a-z]{1,3}(\.[a-z]{1,3}|\[\d\]){0,3}", fullmatch=True), min_size=1))
def test_what_is_used_is_known(paths: list[str]) -> None:
    schema = schemas.from_use(paths)
    assert isinstance(schemas.example(schema), dict | list)
