"""Conditions hold or do not, and say why."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain import rules

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
DATA = {
    "payload": {
        "name": "Ann",
        "age": 30,
        "text_age": "30",
        "vip": True,
        "text_vip": "true",
        "none": None,
        "tags": ["a", "b"],
        "items": [{"price": 5}],
        "due": "2025-01-02T00:00:00Z",
        "seen": "2025-06-15T11:30:00Z",
        "float": 2.5,
    },
    "subscriber": {"data": {"plan": "pro"}},
}


def var(name: str) -> dict[str, str]:
    return {"var": f"payload.{name}"}


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ({"==": [var("name"), "Ann"]}, True),
        ({"=": [var("name"), "Bob"]}, False),
        ({"==": [var("age"), "30"]}, True),
        ({"==": [var("text_age"), 30]}, True),
        ({"==": [var("vip"), "true"]}, True),
        ({"==": [var("text_vip"), True]}, True),
        ({"==": [var("due"), "2025-01-02T01:00:00+01:00"]}, True),
        ({"==": [var("absent"), "x"]}, False),
        ({"!=": [var("name"), "Bob"]}, True),
        ({"!=": [var("absent"), "x"]}, True),
        ({"!=": [var("age"), "30"]}, False),
        ({"<": [var("age"), 31]}, True),
        ({"<": [var("age"), "31"]}, True),
        ({"<": [var("due"), "2025-01-03"]}, True),
        ({"<": [var("name"), "Bob"]}, False),
        ({"<": [var("absent"), 5]}, False),
        ({"<=": [var("age"), 30]}, True),
        ({"<=": [18, var("age"), 65]}, True),
        ({"<=": [31, var("age"), 65]}, False),
        ({">": [var("age"), 29]}, True),
        ({">": [var("age"), "x"]}, False),
        ({">=": [var("age"), 30]}, True),
        ({">=": [var("float"), 2.6]}, False),
        ({"startsWith": [var("name"), "An"]}, True),
        ({"beginsWith": [var("name"), "nn"]}, False),
        ({"endsWith": [var("name"), "nn"]}, True),
        ({"endsWith": [var("age"), "0"]}, False),
        ({"contains": [var("name"), "nn"]}, True),
        ({"contains": [var("tags"), "b"]}, True),
        ({"contains": [var("age"), "3"]}, False),
        ({"doesNotContain": [var("name"), "x"]}, True),
        ({"doesNotContain": [var("age"), "x"]}, False),
        ({"doesNotBeginWith": [var("name"), "x"]}, True),
        ({"doesNotBeginWith": [var("absent"), "x"]}, False),
        ({"doesNotEndWith": [var("name"), "nn"]}, False),
        ({"containsAny": [var("tags"), ["x", "b"]]}, True),
        ({"containsAny": [var("name"), "x, nn"]}, True),
        ({"doesNotContainAny": [var("tags"), ["x"]]}, True),
        ({"doesNotContainAny": [var("age"), ["x"]]}, False),
        ({"null": [var("none")]}, True),
        ({"null": var("none")}, True),
        ({"null": [var("absent")]}, False),
        ({"notNull": [var("name")]}, True),
        ({"notNull": [var("none")]}, False),
        ({"in": [var("name"), ["Ann", "Bob"]]}, True),
        ({"in": [var("name"), "Bob, Ann"]}, True),
        ({"in": [var("age"), ["30"]]}, True),
        ({"in": ["nn", var("name")]}, True),
        ({"notIn": [var("name"), ["Bob"]]}, True),
        ({"notIn": [var("absent"), ["Bob"]]}, False),
        ({"between": [var("age"), [30, 40]]}, True),
        ({"between": [var("age"), ["29", "30"]]}, True),
        ({"between": [var("name"), [1, 2]]}, False),
        ({"notBetween": [var("age"), [31, 40]]}, True),
        ({"notBetween": [var("age"), [30, 40]]}, False),
        ({"notBetween": [var("name"), [1, 2]]}, False),
        ({"==": [var("items[0].price"), 5]}, True),
        ({"==": [var("items.0.price"), 5]}, True),
        ({"==": [{"var": "subscriber.data.plan"}, "pro"]}, True),
        ({"and": [{"==": [var("age"), 30]}, {"!": {"null": [var("name")]}}]}, True),
        ({"and": [{"==": [var("age"), 30]}, {"==": [var("age"), 31]}]}, False),
        ({"or": [{"==": [var("age"), 1]}, {"==": [var("age"), 30]}]}, True),
        ({"or": []}, False),
        ({"!": {"==": [var("age"), 30]}}, False),
        ({"!": [{"==": [var("age"), 1]}]}, True),
        ({"!!": [var("name")]}, True),
        ({"moreThanXAgo": [var("due"), {"amount": 5, "unit": "months"}]}, True),
        ({"moreThanXAgo": [var("seen"), {"amount": 1, "unit": "hours"}]}, False),
        ({"lessThanXAgo": [var("seen"), {"amount": 1, "unit": "hours"}]}, True),
        ({"withinLast": [var("seen"), {"amount": 30, "unit": "minutes"}]}, True),
        ({"notWithinLast": [var("due"), {"amount": 1, "unit": "weeks"}]}, True),
        ({"exactlyXAgo": [var("seen"), {"amount": 30, "unit": "minutes"}]}, True),
        ({"exactlyXAgo": [var("due"), {"amount": 1, "unit": "years"}]}, False),
        ({"withinLast": [var("seen"), {"amount": 0, "unit": "hours"}]}, False),
        ({"withinLast": [var("name"), {"amount": 1, "unit": "hours"}]}, False),
        ({"withinLast": [var("seen"), {"amount": 1e300, "unit": "years"}]}, False),
        ({"withinLast": [var("seen"), {"amount": 10**400, "unit": "years"}]}, False),
        ({"<": [var("age"), 10**400]}, True),
        ({"nonsense": [1, 2]}, False),
        ({"==": []}, False),
        ({"==": [1, 1], "!=": [1, 1]}, False),
        ({}, True),
    ],
)
def test_operators(rule: Any, holds: bool) -> None:
    assert rules.evaluate(rule, DATA, now=NOW) is holds


def test_liquid_in_a_value_is_rendered_by_whoever_can() -> None:
    rule = {"==": [var("name"), "{{ subscriber.name }}"]}
    assert rules.evaluate(rule, DATA, render=lambda text: "Ann")
    assert not rules.evaluate(rule, DATA, render=lambda text: str(1 / 0))


def test_an_explanation_names_field_value_and_verdict() -> None:
    rule = {"and": [{"==": [var("name"), "Ann"]}, {">": [var("absent"), 3]}]}
    assert rules.explain(rule, DATA) == [
        rules.Leaf("==", "payload.name", "Ann", "Ann", True),
        rules.Leaf(">", "payload.absent", None, 3, False),
    ]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({}, None),
        ({"==": [var("name"), "x"]}, None),
        ({"null": [var("name")]}, None),
        ({"<=": [1, var("age"), 2]}, None),
        ({"between": [var("age"), [1, 2]]}, None),
        ({"withinLast": [var("due"), {"amount": 1, "unit": "days"}]}, None),
        ({"like": [var("name"), "x"]}, "no operator 'like'"),
        ({"==": [var("name"), ""]}, "needs a value"),
        ({"==": [var("name")]}, "needs a value"),
        ({"==": ["a", "b"]}, "needs a field"),
        ({"==": [{"var": ""}, "b"]}, "Choose the field"),
        ({"between": [var("age"), [1]]}, "two values"),
        ({"withinLast": [var("due"), {"amount": 0, "unit": "days"}]}, "greater than zero"),
        ({"withinLast": [var("due"), {"amount": 1, "unit": "eons"}]}, "unit of time"),
        ({"and": []}, "list of conditions"),
        ({"and": ["x"]}, "must be an object"),
        ({"==": [1, 1], "!=": [1, 1]}, "exactly one operator"),
        ([], "must be an object"),
    ],
)
def test_problems_are_named(rule: Any, problem: str | None) -> None:
    found = rules.check(rule)
    assert (found == []) if problem is None else problem in found[0]


def test_variables_are_listed_once_and_in_order() -> None:
    rule = {"or": [{"==": [var("b"), var("a")]}, {"!": {"in": [var("b"), ["x"]]}}]}
    assert rules.variables(rule) == ["payload.b", "payload.a"]


def test_depth_and_size_are_bounded() -> None:
    deep: Any = {"==": [var("age"), 30]}
    for _ in range(5_000):
        deep = {"!": deep}
    wide = {"and": [{"==": [var("age"), 30]}] * 100_000}
    for rule in (deep, wide):
        assert not rules.evaluate(rule, DATA)
        assert "too large" in rules.check(rule)[0]
        assert len(rules.variables(rule)) <= 1


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*sorted(rules.OPERATORS), "var", "amount", "unit"]), inner, max_size=2
        )
    ),
    max_leaves=12,
)


@given(_json, st.dictionaries(st.text(max_size=3), _json, max_size=3))
def test_nothing_is_ever_raised(rule: Any, data: dict[str, Any]) -> None:
    assert rules.evaluate(rule, data, now=NOW) in (True, False)
    rules.explain(rule, data, now=NOW)
    rules.check(rule)
    rules.variables(rule)
