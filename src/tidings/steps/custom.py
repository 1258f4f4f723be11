"""A step that the caller's own code runs; its controls and results are what that code says."""

from typing import Any

from msgspec import UNSET, UnsetType

from tidings.domain.schemas import Schema
from tidings.steps.base import Controls, Kind


class CustomControls(Controls, frozen=True, kw_only=True, forbid_unknown_fields=False):
    custom: dict[str, Any] | UnsetType = UNSET


def results(payload: Schema) -> Schema:
    return {"type": "object", "additionalProperties": True}


STEP = Kind(
    type="custom",
    group="SKIP",
    variants=(CustomControls,),
    results=results,
    templates=("custom",),
)
