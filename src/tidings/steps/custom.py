"""A step that the caller's own code runs; its controls and results are what that code says."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from tidings.domain.schemas import Schema
from tidings.steps.base import Controls, Kind
from tidings.steps.outcomes import Continue, Moment, Outcome


class CustomControls(Controls, frozen=True, kw_only=True, forbid_unknown_fields=False):
    custom: dict[str, Any] | UnsetType = UNSET


def results(payload: Schema) -> Schema:
    return {"type": "object", "additionalProperties": True}


def plan(controls: Mapping[str, Any], moment: Moment) -> Outcome:
    given = controls.get("custom")
    return Continue(dict(given) if isinstance(given, Mapping) else {})


STEP = Kind(
    type="custom",
    group="SKIP",
    variants=(CustomControls,),
    plan=plan,
    results=results,
    templates=("custom",),
)
