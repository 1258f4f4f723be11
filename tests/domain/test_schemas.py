import itertools

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
    assert schemas.from_use(["a.first.b", "a[0].c"])["properties"]["a"]["type"] == "array"


def test_what_is_used_of_one_item_is_known_of_all() -> None:
    """Whichever of them says less, and whatever comes last."""
    paths = ["items[0].buyer.name", "items[1].buyer", "items[1].price.net", "items[0].price"]
    for order in itertools.permutations(paths):
        schema = schemas.from_use(order)
        assert all(schemas.knows(schema, path) for path in paths)


PARTS = st.lists(st.sampled_from(["a", "b", "0", "1", "size"]), min_size=1, max_size=4)


@given(st.lists(PARTS.map(".".join), min_size=1, max_size=5))
def test_what_is_used_is_known_and_has_an_example(paths: list[str]) -> None:
    schema = schemas.from_use(paths)
    assert [path for path in paths if not schemas.knows(schema, path)] == []
    assert isinstance(schemas.example(schema), dict)


def test_definitions_are_put_in_place_and_loops_cut() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/a"}, "self": {"$ref": "#"}},
        "$defs": {"a": {"type": "string"}},
    }
    inlined = schemas.inlined(schema)
    assert inlined["properties"]["a"] == {"type": "string"}
    assert "$ref" not in str(inlined)
    doubling: schemas.Schema = {"$defs": {"0": {"type": "string"}}, "$ref": "#/$defs/40"}
    for number in range(40):
        same = {"$ref": f"#/$defs/{number}"}
        doubling["$defs"][str(number + 1)] = {"properties": {"a": same, "b": same}}
    assert len(str(schemas.inlined(doubling))) < 200_000
