"""Whatever usable schema people write, there is an example and an answer to what it knows."""

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tidings.domain import schemas, variables
from tidings.steps import payloads
from tidings.steps.registry import kind_of

NAMES = st.sampled_from(["a", "b", "$ref", "type"])
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "object", "array", "integer", "null", ["null", "number"]]
        ),
        "enum": st.just(["x", 1]),
        "minimum": st.integers(-5, 5) | st.floats(0, 1),
        "maxLength": st.integers(0, 3),
        "default": st.none() | st.just({"a": 1}),
        "format": st.sampled_from(["email", "nonsense"]),
        "$ref": st.sampled_from(["#", "#/$defs/a", "#/$defs/gone/x"]),
        "additionalProperties": st.booleans(),
    },
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | LEAVES,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "$defs": st.fixed_dictionaries({"a": inner}),
        },
    ),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)))
def test_no_schema_upsets_it(schema: schemas.Schema) -> None:
    try:
        payloads.check_schema(schema)
    except payloads.BadSchemaError:
        assume(False)
    payload = variables.checked_against(schema)
    results = {"gather": kind_of("digest").results(payload)}
    known = variables.schema(payload, results)
    assert schemas.knows(known, "payload")
    assert schemas.knows(known, "steps.gather.eventCount")
    assert not schemas.knows(known, "steps.other")
    assert isinstance(variables.example(payload, results)["payload"], dict)
    payloads.with_defaults(schema, {"a": {"a": [{}]}})
    payloads.findings(schema, {"a": {"b": []}})


def test_a_payload_that_is_no_object_has_no_sample() -> None:
    assert variables.example({"type": "array"}, {})["payload"] == {}
