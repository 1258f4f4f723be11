"""Letting only so many runs through in a window of time."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from tidings.domain import timing
from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.timing import TimingError
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui
from tidings.steps.outcomes import Fail, Limit, Moment, Outcome

_MOST = 2**31 - 1
WindowUnit = Literal["minutes", "hours", "days"]
_TYPE = ui("THROTTLE_TYPE", "fixed")


class ThrottleControls(Controls, frozen=True, kw_only=True):
    threshold: Annotated[float, Meta(ge=1), ui("THROTTLE_THRESHOLD", 1)] = 1
    """How many runs a window lets through."""
    throttle_key: Annotated[str | UnsetType, ui("THROTTLE_KEY", "")] = UNSET
    """Runs whose keys differ are counted apart."""


class FixedThrottle(ThrottleControls, frozen=True, kw_only=True):
    type: Annotated[Literal["fixed"], _TYPE] = "fixed"
    amount: Annotated[float, Meta(ge=1), ui("THROTTLE_WINDOW")]
    unit: Annotated[WindowUnit, ui("THROTTLE_UNIT", "minutes")]


class DynamicThrottle(ThrottleControls, frozen=True, kw_only=True):
    type: Annotated[Literal["dynamic"], _TYPE]
    dynamic_key: Annotated[str, Meta(min_length=1), ui("THROTTLE_DYNAMIC_KEY", "payload.timestamp")]


def rules(values: Mapping[str, Any], limits: Limits) -> Iterable[Problem]:
    return waits.problems(values, limits.longest_throttle, "throttle window")


def results(payload: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {
            "throttled": {"type": "boolean"},
            "executionCount": {"type": "integer"},
            "threshold": {"type": "integer"},
            "windowStart": {"type": "string", "format": "date-time"},
        },
        "additionalProperties": False,
    }


def plan(controls: Mapping[str, Any], moment: Moment) -> Outcome:
    try:
        end = _end(controls, moment)
        waits.check(end, moment, moment.limits.longest_throttle, "throttle window")
        threshold = _threshold(controls)
    except TimingError as error:
        return Fail(str(error))
    return Limit(
        value=waits.key_value("throttleKey", controls, moment), threshold=threshold, ends_at=end
    )


def _end(controls: Mapping[str, Any], moment: Moment) -> datetime:
    kind = controls.get("type") or "fixed"
    if kind == "dynamic":
        return waits.dynamic_end(controls, moment)
    if kind != "fixed":
        raise TimingError("Type must be one of fixed, dynamic.")
    amount, unit = controls.get("amount"), controls.get("unit")
    if amount in (None, ""):
        raise TimingError("The throttle needs an amount and a unit, such as 1 and hours.")
    if unit not in get_args(WindowUnit):
        raise TimingError("The unit of the throttle must be one of minutes, hours, days.")
    if timing.duration(amount, unit).amount < 1:
        raise TimingError("The amount of the throttle must be at least 1.")
    return waits.regular_end(amount, unit, moment)


def _threshold(controls: Mapping[str, Any]) -> int:
    given = controls.get("threshold")
    threshold = 1 if given in (None, "") else timing.number(given)
    if threshold is None or threshold < 1:
        raise TimingError("The threshold of the throttle must be a number of at least 1.")
    return min(int(threshold), _MOST)


STEP = Kind(
    type="throttle",
    group="THROTTLE",
    variants=(FixedThrottle, DynamicThrottle),
    plan=plan,
    rules=rules,
    results=results,
    templates=("dynamicKey", "throttleKey"),
)
