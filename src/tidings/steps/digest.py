"""Gathering the events of some time, so that the next steps run once for all of them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tidings.domain import recurrence, timing
from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.domain.timing import Duration, TimingError, Unit
from tidings.steps import waits
from tidings.steps.base import Controls, Kind, Problem, ui
from tidings.steps.outcomes import Collect, Fail, Moment, Outcome

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


def plan(controls: Mapping[str, Any], moment: Moment) -> Outcome:
    kind = controls.get("type") or "regular"
    try:
        if kind == "regular":
            collect = _regular(controls, moment)
        elif kind == "timed":
            collect = _timed(controls, moment)
        else:
            raise TimingError("Type must be one of regular, timed.")
        waits.check(collect.until, moment, moment.limits.longest_wait, "digest")
    except TimingError as error:
        return Fail(str(error))
    return collect


def _regular(controls: Mapping[str, Any], moment: Moment) -> Collect:
    length = _length(*waits.amount_and_unit(controls, moment), "digest")
    metadata = {"type": "regular", "amount": length.amount, "unit": length.unit}
    since = None
    if window := controls.get("lookBackWindow"):
        back = _look_back(window)
        since = timing.ago(moment.reached_at, back, timing.zone_of(moment.timezone))
        metadata |= {
            "type": "backoff",
            "backoff": True,
            "backoffAmount": back.amount,
            "backoffUnit": back.unit,
        }
    return Collect(
        value=waits.key_value("digestKey", controls, moment),
        until=waits.regular_end(length.amount, length.unit, moment),
        look_back_from=since,
        metadata=metadata | _key(controls),
    )


def _timed(controls: Mapping[str, Any], moment: Moment) -> Collect:
    cron = controls.get("cron")
    if cron or not controls.get("timed"):
        until, metadata = waits.cron_end(cron, moment), {"timed": {"cronExpression": cron}}
    else:
        until, metadata = _recurring(controls, moment)
    return Collect(
        value=waits.key_value("digestKey", controls, moment),
        until=until,
        metadata={"type": "timed"} | metadata | _key(controls),
    )


def _recurring(controls: Mapping[str, Any], moment: Moment) -> tuple[datetime, dict[str, Any]]:
    """Workflows older than cron expressions say which days they mean, and every how many."""
    config, zone = recurrence.read(controls["timed"]), timing.zone_of(moment.timezone)
    metadata: dict[str, Any] = {"timed": msgspec.to_builtins(config)}
    unit, every = None, 1
    if controls.get("unit"):
        length = timing.duration(controls.get("amount") or 1, controls["unit"])
        unit, every = length.unit, int(length.amount)
        metadata |= {"amount": length.amount, "unit": length.unit}
    return recurrence.next_occurrence(config, moment.reached_at, zone, unit, every), metadata


def _look_back(window: Any) -> Duration:
    if not isinstance(window, Mapping):
        raise TimingError("The look-back window must have an amount and a unit.")
    return _length(window.get("amount"), window.get("unit"), "look-back window")


def _length(amount: Any, unit: Any, what: str) -> Duration:
    length = Duration(0, "hours") if amount in (None, "") else timing.duration(amount, unit)
    if length.amount < 1:
        raise TimingError(f"The {what} needs an amount of at least 1 and a unit, such as hours.")
    return length


def _key(controls: Mapping[str, Any]) -> dict[str, str]:
    key = controls.get("digestKey")
    return {"digestKey": key} if isinstance(key, str) and key else {}


STEP = Kind(
    type="digest",
    group="DIGEST",
    variants=(RegularDigest, TimedDigest),
    plan=plan,
    rules=rules,
    results=results,
    templates=("digestKey",),
)
