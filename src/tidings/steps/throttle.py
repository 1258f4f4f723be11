"""Letting only so many runs through in a window of time."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui

_TYPE = ui("THROTTLE_TYPE", "fixed")


class ThrottleControls(Controls, frozen=True, kw_only=True):
    threshold: Annotated[float, Meta(ge=1), ui("THROTTLE_THRESHOLD", 1)] = 1
    """How many runs a window lets through."""
    throttle_key: Annotated[str | UnsetType, ui("THROTTLE_KEY", "")] = UNSET
    """Runs whose keys differ are counted apart."""


class FixedThrottle(ThrottleControls, frozen=True, kw_only=True):
    type: Annotated[Literal["fixed"], _TYPE] = "fixed"
    amount: Annotated[float, Meta(ge=1), ui("THROTTLE_WINDOW")]
    unit: Annotated[Literal["minutes", "hours", "days"], ui("THROTTLE_UNIT", "minutes")]


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


STEP = Kind(
    type="throttle",
    group="THROTTLE",
    variants=(FixedThrottle, DynamicThrottle),
    rules=rules,
    results=results,
    templates=("dynamicKey", "throttleKey"),
)
