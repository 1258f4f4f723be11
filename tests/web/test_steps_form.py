"""Every control of every step type has its field, and comes back from it as it was."""

from typing import Any

import pytest

from tidings.domain.workflows import Step, StepType
from tidings.steps.registry import kind_of, kinds
from tidings.web import steps_form, steps_looks
from tidings.web.form import Form
from tidings.web.steps_conditions import Line
from tidings.web.steps_form import Edited, Field

_CASES: list[tuple[StepType, dict[str, Any]]] = [
    ("in_app", {"subject": "Hello", "body": "{{ payload.x }}\n"}),
    (
        "in_app",
        {
            "body": "x",
            "avatar": "/a.png",
            "primaryAction": {"label": "Go", "redirect": {"url": "/go", "target": "_blank"}},
            "secondaryAction": {"label": "No"},
            "redirect": {"url": "{{ payload.url }}", "target": "_self"},
            "disableOutputSanitization": True,
            "data": {"a": {"b": [1]}},
            "skip": {"and": [{"==": [{"var": "payload.a"}, 1]}]},
        },
    ),
    ("email", {"subject": "Hi", "body": "<p>x</p>", "editorType": "html", "layoutId": None}),
    ("email", {"subject": "Hi", "body": '{"type":"doc","content":[{"type":"horizontalRule"}]}'}),
    ("email", {"subject": "Hi", "body": "<b>", "editorType": "html", "layoutId": "plain"}),
    ("sms", {"body": " spaces stay "}),
    ("push", {"subject": "a", "body": "b", "skip": {"!": {"var": "payload.a"}}}),
    ("chat", {"body": "x"}),
    ("delay", {"type": "regular", "amount": 5, "unit": "minutes"}),
    ("delay", {"type": "timed", "cron": "0 9 * * *", "extendToSchedule": False}),
    ("delay", {"type": "dynamic", "dynamicKey": "payload.at"}),
    ("digest", {"type": "regular", "amount": 1.5, "unit": "hours", "digestKey": "payload.id"}),
    (
        "digest",
        {
            "type": "regular",
            "amount": 1,
            "unit": "days",
            "lookBackWindow": {"amount": 5, "unit": "minutes"},
        },
    ),
    ("digest", {"type": "timed", "timed": {"atTime": "9:00"}, "cron": "0 9 * * *"}),
    ("throttle", {"type": "fixed", "amount": 1, "unit": "hours", "threshold": 3}),
    ("throttle", {"type": "dynamic", "dynamicKey": "payload.until", "threshold": 1}),
    ("custom", {"custom": {"a": 1}, "mine": [1, 2]}),
]


def test_every_component_is_drawn() -> None:
    shown = {
        field["component"]
        for kind in kinds().values()
        for field in kind.ui_schema["properties"].values()
    }
    assert shown == set(steps_looks.LOOKS)


@pytest.mark.parametrize(("type", "controls"), _CASES)
def test_controls_survive_the_form(type: StepType, controls: dict[str, Any]) -> None:
    step = Step(id="1", key="s", name="Step", type=type, controls=controls)
    edited = steps_form.of_step(step)
    sent = Form(_sent(edited, steps_form.fields(kind_of(type), edited, [])))
    again = steps_form.of_form(kind_of(type), sent, step)
    steps_form.check(again)
    assert again.controls == controls


def _sent(edited: Edited, fields: list[Field]) -> list[tuple[str, str]]:
    """What a browser sends for these fields."""
    pairs = [("name", edited.name), ("q.mode", "json" if edited.group is None else "build")]
    pairs.append(("q.raw", edited.rule))
    if edited.group is not None:
        pairs.append(("q.join", edited.group.join))
        for place, line in enumerate(edited.group.parts):
            assert isinstance(line, Line)
            pairs += [
                (f"q.{place}.field", line.field),
                (f"q.{place}.operator", line.operator),
                (f"q.{place}.value", line.value),
            ]
    for place, block in enumerate(edited.blocks):
        pairs += [(f"b.{place}.kind", block.kind), (f"b.{place}.was", block.was)]
    pairs.append(("c.html", edited.html))
    for field in fields:
        name = f"c.{field.name}"
        if field.look == "switch":
            pairs += [(name, "true")] if field.value else []
        elif isinstance(field.value, dict):
            redirect = field.value.get("redirect", {})
            pairs += [(f"{name}.{key}", str(v)) for key, v in field.value.items()]
            pairs += [(f"{name}.redirect.{key}", v) for key, v in redirect.items()]
        else:
            pairs.append((name, str(field.value)))
    return pairs


def test_what_is_no_number_or_no_json_is_not_lost() -> None:
    step = Step(id="1", key="s", name="Step", type="delay", controls={})
    sent = Form([("c.type", "regular"), ("c.amount", "five"), ("c.unit", "days")])
    assert steps_form.of_form(kind_of("delay"), sent, step).controls["amount"] == "five"
    in_app = Step(id="1", key="s", name="Step", type="in_app", controls={})
    edited = steps_form.of_form(kind_of("in_app"), Form([("c.data", "{oops")]), in_app)
    assert edited.controls["data"] == "{oops"
    with pytest.raises(Exception, match="Validation"):
        steps_form.check(edited)


def test_another_kind_of_wait_leaves_the_former_behind() -> None:
    step = Step(
        id="1",
        key="s",
        name="S",
        type="delay",
        controls={"type": "regular", "amount": 1, "unit": "days"},
    )
    sent = Form([("c.type", "timed"), ("c.amount", "1"), ("c.cron", "0 9 * * *")])
    assert steps_form.of_form(kind_of("delay"), sent, step).controls == {
        "type": "timed",
        "cron": "0 9 * * *",
    }


def test_buttons_change_the_draft() -> None:
    step = Step(id="1", key="s", name="S", type="email", controls={"subject": "Hi"})
    edited = steps_form.of_step(step)
    edited = steps_form.changed(edited, "block.add.heading")
    edited = steps_form.changed(edited, "block.add.button")
    edited = steps_form.changed(edited, "block.up.1")
    assert [block.kind for block in edited.blocks] == ["button", "heading"]
    edited = steps_form.changed(edited, "rule.add.")
    edited = steps_form.changed(edited, "rule.group.")
    assert edited.controls["skip"]["and"][1] == {"or": [{"==": [{"var": ""}, ""]}]}
    edited = steps_form.changed(edited, "rule.json.")
    assert edited.group is None
    assert '"or"' in edited.rule
    assert steps_form.changed(edited, "nonsense") == edited
