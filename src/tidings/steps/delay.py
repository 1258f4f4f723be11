"""A wait before the next step."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from tidings.domain import timing
from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.timing import TimingError, Unit
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui
from tidings.steps.outcomes import Continue, Fail, Moment, Outcome, Wait

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


def plan(controls: Mapping[str, Any], moment: Moment) -> Outcome:
    try:
        end = _end(controls, moment)
        waits.check(end, moment, moment.limits.longest_wait, "delay")
    except TimingError as error:
        return Fail(str(error))
    output = {"duration": timing.milliseconds(moment.reached_at, end)}
    return Wait(end, output) if end > moment.reached_at else Continue(output)


def _end(controls: Mapping[str, Any], moment: Moment) -> datetime:
    kind = controls.get("type") or "regular"
    if kind == "timed":
        return waits.cron_end(controls.get("cron"), moment)
    if kind == "dynamic":
        return waits.dynamic_end(controls, moment)
    if kind != "regular":
        raise TimingError("Type must be one of regular, timed, dynamic.")
    amount, unit = waits.amount_and_unit(controls, moment)
    if amount in (None, "") or timing.number(amount) == 0:
        return moment.reached_at
    return waits.regular_end(amount, unit, moment)


STEP = Kind(
    type="delay",
    group="DELAY",
    variants=(RegularDelay, TimedDelay, DynamicDelay),
    plan=plan,
    rules=rules,
    results=results,
    templates=("dynamicKey",),
)
