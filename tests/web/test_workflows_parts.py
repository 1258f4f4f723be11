from typing import Any

import pytest

from tidings.domain.workflows import Step, StepType
from tidings.web.workflows_parts import summary, tinted


@pytest.mark.parametrize(
    ("type", "controls", "said"),
    [
        ("in_app", {"body": "Hello\n  you"}, "Hello you"),
        ("email", {"subject": "x" * 200, "body": ""}, "x" * 89 + "…"),
        ("sms", {}, ""),
        ("delay", {"amount": 1, "unit": "hours"}, "Waits for 1 hour"),
        ("delay", {"type": "dynamic", "dynamicKey": "payload.at"}, "Waits until payload.at"),
        ("digest", {"cron": "0 9 * * *"}, "Gathers events until the next time of 0 9 * * *"),
        ("throttle", {"amount": 2, "unit": "days"}, "Lets 1 run through every 2 days"),
        ("throttle", {}, ""),
    ],
)
def test_a_step_is_put_into_a_line(type: StepType, controls: dict[str, Any], said: str) -> None:
    assert summary(Step(name="Step", type=type, controls=controls)) == said


def test_a_document_is_shown_in_the_colours_asked_for() -> None:
    css = "@media (prefers-color-scheme:dark){a{}}@media ( prefers-color-scheme: light ){b{}}"
    assert tinted(css, "dark") == "@media (min-width:0){a{}}@media (max-width:0){b{}}"
    assert tinted(css, "light") == "@media (max-width:0){a{}}@media (min-width:0){b{}}"
