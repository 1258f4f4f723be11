from typing import Any

import pytest

from tidings.domain import rules
from tidings.web import steps_conditions as conditions
from tidings.web.form import Form
from tidings.web.steps_conditions import Group, Line

_FIELD = {"var": "payload.plan"}
_EXPRESSED: list[dict[str, Any]] = [
    {"and": [{"==": [_FIELD, "pro"]}]},
    {"or": [{">": [_FIELD, 5]}, {"and": [{"!=": [_FIELD, True]}, {"null": [_FIELD]}]}]},
    {"and": [{"in": [_FIELD, ["a", "b"]]}, {"between": [_FIELD, [1, 2.5]]}]},
    {"and": [{"withinLast": [_FIELD, {"amount": 3, "unit": "days"}]}]},
]


def _sent(group: Group, prefix: str = "q") -> list[tuple[str, str]]:
    pairs = [(f"{prefix}.join", group.join)]
    for place, part in enumerate(group.parts):
        inner = f"{prefix}.{place}"
        if isinstance(part, Group):
            pairs += _sent(part, inner)
        else:
            pairs += [
                (f"{inner}.field", part.field),
                (f"{inner}.operator", part.operator),
                (f"{inner}.value", part.value),
                (f"{inner}.unit", part.unit),
            ]
    return pairs


@pytest.mark.parametrize("rule", _EXPRESSED)
def test_a_condition_survives_the_form(rule: dict[str, Any]) -> None:
    group = conditions.group(rule)
    assert conditions.rule(group) == rule
    assert conditions.rule(conditions.read(Form(_sent(group)), "q")) == rule


@pytest.mark.parametrize(
    "rule",
    [
        {"!": {"==": [_FIELD, 1]}},
        {"==": [_FIELD, {"var": "payload.other"}]},
        {"and": {"==": [_FIELD, 1]}},
        {"==": [_FIELD, 1], "!=": [_FIELD, 2]},
        {"<=": [1, _FIELD, 5]},
    ],
)
def test_what_lines_cannot_say_is_left_to_json(rule: dict[str, Any]) -> None:
    with pytest.raises(conditions.TooRichError):
        conditions.group(rule)


@pytest.mark.parametrize("operator", conditions.OPERATORS)
def test_every_operator_that_is_offered_makes_a_rule_without_problems(operator: str) -> None:
    value = "1, 2" if "etween" in operator else "1"
    made = conditions.rule(Group(parts=(Line("payload.a", operator, value),)))
    assert rules.check(made) == []


def test_unfinished_lines_are_kept_and_found() -> None:
    made = conditions.rule(Group(parts=(Line(),)))
    assert rules.check(made) == ["Choose the field to look at."]
    assert conditions.rule(Group()) is None


def test_parts_are_added_and_dropped_where_the_path_says() -> None:
    inner = Group("or", (Line("a"), Line("b")))
    whole = Group(parts=(Line("x"), inner))
    more = conditions.add(whole, "1", Line("c"))
    assert isinstance(more.parts[1], Group)
    assert [line.field for line in more.parts[1].parts if isinstance(line, Line)] == ["a", "b", "c"]
    less = conditions.drop(more, "1.0")
    assert isinstance(less.parts[1], Group)
    assert [line.field for line in less.parts[1].parts if isinstance(line, Line)] == ["b", "c"]
    assert conditions.drop(whole, "1").parts == (Line("x"),)
