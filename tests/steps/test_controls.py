"""Every step type: its controls, and what is said about wrong ones."""

from datetime import timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.limits import Limits
from tidings.domain.workflows import StepType
from tidings.steps import payloads
from tidings.steps.registry import kind_of, kinds

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)

GOOD: list[tuple[StepType, dict[str, Any]]] = [
    ("in_app", {"subject": "S"}),
    ("in_app", {"body": "B", "avatar": "/a.png", "data": {"a": 1}, "skip": {}}),
    (
        "in_app",
        {
            "body": "B",
            "primaryAction": {"label": "L", "redirect": {"url": "https://x", "target": "_blank"}},
            "redirect": {"url": "{{payload.url}}"},
        },
    ),
    ("email", {"subject": "S", "body": "B"}),
    ("email", {"subject": "S", "body": "B", "layoutId": None, "editorType": "html"}),
    ("sms", {"body": "B"}),
    ("push", {"subject": "S", "body": "B"}),
    ("chat", {"body": "B"}),
    ("delay", {"amount": 1, "unit": "months"}),
    ("delay", {"type": "timed", "cron": "0 9 * * 1-5"}),
    ("delay", {"type": "dynamic", "dynamicKey": "payload.at", "extendToSchedule": True}),
    ("digest", {"amount": 1.5, "unit": "hours", "digestKey": "payload.id"}),
    (
        "digest",
        {"amount": 5, "unit": "minutes", "lookBackWindow": {"amount": 1, "unit": "hours"}},
    ),
    ("digest", {"type": "timed", "cron": "*/5 * * * *"}),
    ("throttle", {"amount": 1, "unit": "days", "threshold": 3, "throttleKey": "payload.id"}),
    ("throttle", {"type": "dynamic", "dynamicKey": "payload.until"}),
    ("custom", {"custom": {"a": 1}, "anything": True}),
]

BAD: list[tuple[StepType, dict[str, Any], dict[str, str]]] = [
    ("in_app", {}, {"subject": "Subject or body is required", "body": "Subject or body"}),
    ("in_app", {"body": "B", "avatar": "ftp://x"}, {"avatar": "must be a URL"}),
    ("in_app", {"body": "B", "redirect": {"url": "mailto:a@b"}}, {"redirect.url": "must be a URL"}),
    ("in_app", {"body": "B", "redirect": {"target": "_x"}}, {"redirect.target": "one of"}),
    ("in_app", {"body": "B", "primaryAction": {}}, {"primaryAction.label": "needs a label"}),
    ("email", {}, {"subject": "Subject is required", "body": "Body is required"}),
    ("email", {"subject": "", "body": 5}, {"subject": "Subject is required", "body": "string"}),
    ("email", {"subject": "S", "body": "B", "editorType": "x"}, {"editorType": "block, html"}),
    ("sms", {"body": "B", "colour": 1}, {"colour": "is not a control of sms steps"}),
    ("sms", {"body": "B", "skip": []}, {"skip": "object"}),
    ("delay", {}, {"amount": "is required", "unit": "is required"}),
    ("delay", {"amount": 0, "unit": "eons"}, {"amount": "minimum of 1", "unit": "one of"}),
    ("delay", {"type": "later"}, {"type": "regular, timed, dynamic"}),
    ("delay", {"type": "timed"}, {"cron": "Cron is required"}),
    ("delay", {"type": "timed", "cron": "every day"}, {"cron": "five fields"}),
    ("delay", {"type": "dynamic", "dynamicKey": ""}, {"dynamicKey": "is required"}),
    ("digest", {"amount": 1, "unit": "days", "cron": "* * * * *"}, {"cron": "not a control"}),
    (
        "digest",
        {"amount": 1, "unit": "days", "lookBackWindow": {"amount": 1}},
        {"lookBackWindow.unit": "Look back window unit is required"},
    ),
    ("throttle", {"amount": 1, "unit": "weeks"}, {"unit": "days, hours, minutes"}),
    ("throttle", {"amount": 1, "unit": "days", "threshold": 0}, {"threshold": "minimum of 1"}),
]


def test_every_type_has_its_file() -> None:
    assert set(kinds()) == set(get_args(StepType))


@pytest.mark.parametrize(("type", "values"), GOOD)
def test_good_controls(type: StepType, values: dict[str, Any]) -> None:
    kind = kind_of(type)
    assert kind.problems(values, Limits()) == []
    assert payloads.findings(kind.data_schema, values) == []
    kind.read(values)


@pytest.mark.parametrize(("type", "values", "said"), BAD)
def test_bad_controls(type: StepType, values: dict[str, Any], said: dict[str, str]) -> None:
    problems = {each.path: each.message for each in kind_of(type).problems(values, Limits())}
    assert set(problems) == set(said)
    for path, text in said.items():
        assert text in problems[path]


@given(st.sampled_from(get_args(StepType)), st.dictionaries(st.text(max_size=9), JSON))
def test_nothing_that_is_sent_upsets_the_check(type: StepType, values: dict[str, Any]) -> None:
    kind = kind_of(type)
    problems = kind.problems(values, Limits(longest_wait=timedelta(1)))
    if not problems:
        kind.read(values)


@pytest.mark.parametrize(
    ("type", "values", "paths"),
    [
        ("delay", {"amount": 25, "unit": "hours"}, {"amount", "unit"}),
        ("delay", {"amount": 24, "unit": "hours"}, set()),
        ("digest", {"type": "timed", "cron": "0 9 * * 1"}, {"cron"}),
        ("digest", {"type": "timed", "cron": "0 9 * * *"}, set()),
        ("throttle", {"amount": 2, "unit": "hours"}, {"amount", "unit"}),
        ("throttle", {"amount": 1, "unit": "hours"}, set()),
    ],
)
def test_limits_of_the_operator(type: StepType, values: dict[str, Any], paths: set[str]) -> None:
    limits = Limits(longest_wait=timedelta(days=1), longest_throttle=timedelta(hours=1))
    problems = kind_of(type).problems(values, limits)
    assert {each.path for each in problems} == paths
    assert all(each.over_limit for each in problems)


def test_placeholders_of_the_form() -> None:
    form = kind_of("throttle").ui_schema["properties"]
    assert form["dynamicKey"] == {
        "component": "THROTTLE_DYNAMIC_KEY",
        "placeholder": "payload.timestamp",
    }
    assert form["threshold"]["placeholder"] == 1
