"""Gathering the events of some time, so that the next steps run once for all of them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui
from tidings.steps.waits import Unit

_TYPE = ui("DIGEST_TYPE", "regular")


class LookBackWindow(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The first event in so long goes out at once; only those that follow are gathered."""

    amount: Annotated[float, Meta(ge=1)]
    unit: Unit


class DigestControls(Controls, frozen=True, kw_only=True):
    digest_key: Annotated[str | UnsetType, ui("DIGEST_KEY", "")] = UNSET
    """Events whose keys differ are gathered apart."""
    extend_to_schedule: Annotated[bool, ui("EXTEND_TO_SCHEDULE", False)] = False


class RegularDigest(DigestControls, frozen=True, kw_only=True):
    type: Annotated[Literal["regular"], _TYPE] = "regular"
    amount: Annotated[float, Meta(ge=1), ui("DIGEST_AMOUNT", "")]
    unit: Annotated[Unit, ui("DIGEST_UNIT", "seconds")]
    look_back_window: Annotated[
        LookBackWindow | UnsetType, Meta(extra={"record": LookBackWindow})
    ] = UNSET


class TimedDigest(DigestControls, frozen=True, kw_only=True):
    type: Annotated[Literal["timed"], _TYPE]
    cron: Annotated[str, Meta(min_length=1), ui("DIGEST_CRON", "")]


def rules(values: Mapping[str, Any], limits: Limits) -> Iterable[Problem]:
    return waits.problems(values, limits.longest_wait, "digest")


def results(payload: Schema) -> Schema:
    event = {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "time": {"type": "string", "format": "date-time"},
            "payload": payload,
        },
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "eventCount": {"type": "integer"},
            "events": {"type": "array", "items": event},
        },
        "additionalProperties": False,
    }


STEP = Kind(
    type="digest",
    group="DIGEST",
    variants=(RegularDigest, TimedDigest),
    rules=rules,
    results=results,
    templates=("digestKey",),
)
