"""A wait before the next step."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui
from tidings.steps.waits import Unit

_TYPE = ui("DELAY_TYPE", "regular")


class DelayControls(Controls, frozen=True, kw_only=True):
    extend_to_schedule: Annotated[bool, ui("EXTEND_TO_SCHEDULE", False)] = False
    """Wait on until the subscriber's hours, when the time is up outside of them."""


class RegularDelay(DelayControls, frozen=True, kw_only=True):
    type: Annotated[Literal["regular"], _TYPE] = "regular"
    amount: Annotated[float, Meta(ge=1), ui("DELAY_AMOUNT")]
    unit: Annotated[Unit, ui("DELAY_UNIT", "seconds")]


class TimedDelay(DelayControls, frozen=True, kw_only=True):
    type: Annotated[Literal["timed"], _TYPE]
    cron: Annotated[str, Meta(min_length=1), ui("DELAY_CRON", "")]


class DynamicDelay(DelayControls, frozen=True, kw_only=True):
    type: Annotated[Literal["dynamic"], _TYPE]
    dynamic_key: Annotated[str, Meta(min_length=1), ui("DELAY_DYNAMIC_KEY", "")]


def rules(values: Mapping[str, Any], limits: Limits) -> Iterable[Problem]:
    return waits.problems(values, limits.longest_wait, "delay")


def results(payload: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {"duration": {"type": "number"}},
        "additionalProperties": False,
    }


STEP = Kind(
    type="delay",
    group="DELAY",
    variants=(RegularDelay, TimedDelay, DynamicDelay),
    rules=rules,
    results=results,
    templates=("dynamicKey",),
)
