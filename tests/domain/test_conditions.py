"""Step filters: every operator, both sources, joins and negation."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.conditions import (
    FieldFilterPart,
    Join,
    On,
    Operator,
    StepFilter,
    at_path,
    compare,
    decide,
)


def part(operator: Operator, value: str, field: str = "x", on: On = "payload") -> FieldFilterPart:
    return FieldFilterPart(field=field, value=value, operator=operator, on=on)


def group(*children: FieldFilterPart, join: Join = "AND", negated: bool = False) -> StepFilter:
    return StepFilter(is_negated=negated, type="GROUP", value=join, children=children)


MISSING = object()

TABLE: list[tuple[Operator, Any, str, bool]] = [
    ("EQUAL", "a", "a", True),
    ("EQUAL", "a", "A", False),
    ("EQUAL", 5, "5", True),
    ("EQUAL", 5, "5.0", True),
    ("EQUAL", 5, "five", False),
    ("EQUAL", "5", "5.0", False),
    ("EQUAL", True, "true", True),
    ("EQUAL", True, "1", False),
    ("EQUAL", False, "False", True),
    ("EQUAL", MISSING, "", True),
    ("EQUAL", MISSING, "a", False),
    ("EQUAL", {"a": 1}, "a", False),
    ("NOT_EQUAL", "a", "b", True),
    ("NOT_EQUAL", MISSING, "b", True),
    ("NOT_EQUAL", 5, "5", False),
    ("LARGER", 6, "5", True),
    ("LARGER", 5, "5", False),
    ("LARGER", "10", "9", True),
    ("LARGER", MISSING, "5", False),
    ("LARGER", True, "0", False),
    ("LARGER", "b", "a", True),
    ("LARGER", "b", "5", False),
    ("LARGER", "2026-02-01", "2026-01-31T23:59:59Z", True),
    ("SMALLER", 4, "5", True),
    ("SMALLER", "2026-01-01T00:00:00+01:00", "2026-01-01T00:00:00Z", True),
    ("SMALLER", MISSING, "5", False),
    ("LARGER_EQUAL", 5, "5", True),
    ("LARGER_EQUAL", 4.9, "5", False),
    ("SMALLER_EQUAL", 5, "5", True),
    ("SMALLER_EQUAL", 5.1, "5", False),
    ("BETWEEN", 5, "1,5", True),
    ("BETWEEN", 5, "[5, 9]", True),
    ("BETWEEN", 6, "1,5", False),
    ("BETWEEN", 6, "1", False),
    ("BETWEEN", "2026-06-01", "2026-01-01,2026-12-31", True),
    ("NOT_BETWEEN", 6, "1,5", True),
    ("NOT_BETWEEN", 5, "1,5", False),
    ("NOT_BETWEEN", 6, "1", False),
    ("NOT_BETWEEN", MISSING, "1,5", False),
    ("IN", "a", "a,b", True),
    ("IN", 2, "[1, 2]", True),
    ("IN", "c", "a, b", False),
    ("IN", ["a", "b"], "a", True),
    ("IN", ["a", "b"], "c", False),
    ("IN", MISSING, "a", False),
    ("NOT_IN", "c", "a,b", True),
    ("NOT_IN", ["a"], "a", False),
    ("NOT_IN", MISSING, "a", True),
    ("ANY_IN", ["a", "c"], "a,b", True),
    ("ANY_IN", ["c"], "a,b", False),
    ("ANY_IN", "a", "a,b", True),
    ("ANY_IN", MISSING, "a,b", False),
    ("ALL_IN", ["a", "b", "c"], "a,b", True),
    ("ALL_IN", ["a"], "a,b", False),
    ("ALL_IN", ["a"], "", False),
    ("LIKE", "Hello World", "world", True),
    ("LIKE", 1234, "23", True),
    ("LIKE", ["News", "Ads"], "new", True),
    ("LIKE", "Hello", "bye", False),
    ("LIKE", MISSING, "", False),
    ("NOT_LIKE", "Hello", "bye", True),
    ("NOT_LIKE", "Hello", "ELL", False),
    ("NOT_LIKE", MISSING, "a", True),
]


@pytest.mark.parametrize(("operator", "actual", "expected", "holds"), TABLE)
def test_operators(operator: Operator, actual: Any, expected: str, holds: bool) -> None:
    payload = {} if actual is MISSING else {"x": actual}
    assert compare(part(operator, expected), {"payload": payload}).passed is holds


def test_the_table_has_every_operator_both_ways() -> None:
    for operator in get_args(Operator):
        assert {row[3] for row in TABLE if row[0] == operator} == {True, False}


def test_both_sources_and_the_values_compared() -> None:
    data: dict[On, dict[str, Any]] = {
        "subscriber": {"data": {"plan": "pro"}},
        "payload": {"items": [{"price": 3}]},
    }
    decision = decide(
        [
            group(
                part("EQUAL", "pro", "data.plan", "subscriber"),
                part("LARGER", "2", "items.0.price", "payload"),
            )
        ],
        data,
    )
    assert decision.holds
    assert [(one.on, one.actual, one.passed) for one in decision.compared] == [
        ("subscriber", "pro", True),
        ("payload", 3, True),
    ]


TRUE, FALSE = part("EQUAL", "1"), part("EQUAL", "2")


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ([], True),
        ([group()], True),
        ([group(negated=True)], False),
        ([group(TRUE, FALSE)], False),
        ([group(TRUE, FALSE, join="OR")], True),
        ([group(FALSE, FALSE, join="OR")], False),
        ([group(FALSE, negated=True)], True),
        ([group(TRUE, negated=True)], False),
        ([group(FALSE), group(TRUE)], True),
        ([group(FALSE), group(FALSE)], False),
    ],
)
def test_joins(filters: list[StepFilter], holds: bool) -> None:
    assert decide(filters, {"payload": {"x": 1}}).holds is holds


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", 1),
        ("list.1", "y"),
        ("list.9", None),
        ("list.x", None),
        ("a.b.c", None),
        ("", None),
        ("dotted.key", 2),
    ],
)
def test_paths(path: str, found: Any) -> None:
    assert at_path({"a": {"b": 1}, "list": ["x", "y"], "dotted.key": 2}, path) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.sampled_from(get_args(Operator)), JSON, st.text())
def test_no_value_breaks_an_operator(operator: Operator, actual: Any, expected: str) -> None:
    assert compare(part(operator, expected), {"payload": {"x": actual}}).passed in (True, False)


@given(st.sampled_from(get_args(Operator)), JSON, st.text(), st.booleans())
def test_negation_turns_the_answer_around(
    operator: Operator, actual: Any, expected: str, negated: bool
) -> None:
    one = part(operator, expected)
    plain = decide([group(one)], {"payload": {"x": actual}}).holds
    turned = decide([group(one, negated=True)], {"payload": {"x": actual}}).holds
    assert plain is not turned


@given(st.integers(), st.integers(), st.integers())
def test_between_is_two_comparisons(actual: int, low: int, high: int) -> None:
    data: dict[On, dict[str, Any]] = {"payload": {"x": actual}}
    inside = low <= actual <= high
    assert compare(part("BETWEEN", f"{low},{high}"), data).passed is inside
    assert compare(part("NOT_BETWEEN", f"{low},{high}"), data).passed is not inside
