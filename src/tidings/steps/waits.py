"""Lengths of time that people write, an amount and a unit or a cron expression; when such a wait
ends, and when it is drawn out to the subscriber's hours."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import UNSET

from tidings.domain import schedules, timing
from tidings.domain.schedules import Schedule
from tidings.domain.timing import UNITS, TimingError, Unit
from tidings.steps import cron
from tidings.steps.base import Problem
from tidings.steps.outcomes import Moment

MOST_EXTENSIONS = 3

_LENGTHS: dict[Unit, timedelta] = {
    "seconds": timedelta(seconds=1),
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    "months": timedelta(days=31),
}


def length(amount: Any, unit: Any) -> timedelta | None:
    """At most so long (a month counts as 31 days); None when it cannot be told."""
    if isinstance(amount, str) or (read := timing.number(amount)) is None or unit not in UNITS:
        return None
    try:
        return read * _LENGTHS[unit]
    except OverflowError:
        return timedelta.max


def in_words(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    number, unit = (hours / 24, "day") if hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {unit}{'' if number == 1 else 's'}"


def too_long(what: str, longest: timedelta) -> str:
    return f"The {what} may take at most {in_words(longest)} here. Ask the operator for more."


def problems(values: Mapping[str, Any], longest: timedelta | None, what: str) -> Iterable[Problem]:
    """A cron expression that is none, and waits longer than the operator allows."""
    given = values.get("cron")
    timed = values.get("type") == "timed" and isinstance(given, str) and given != ""
    if timed and (reason := cron.problem(given)):
        yield Problem("cron", f"Cron {reason}")
        return
    if longest is None:
        return
    words = too_long(what, longest)
    if timed:
        if cron.longest_gap(str(given)) > longest:
            yield Problem("cron", words, over_limit=True)
        return
    span = length(values.get("amount"), values.get("unit"))
    if span is not None and span > longest:
        yield Problem("amount", words, over_limit=True)
        yield Problem("unit", words, over_limit=True)


def amount_and_unit(controls: Mapping[str, Any], moment: Moment) -> tuple[Any, Any]:
    """Those of the trigger's overrides if they make sense, else those of the step."""
    given = moment.overrides.get("delay")
    if isinstance(given, Mapping):
        amount, unit = given.get("amount"), given.get("unit")
        if length(amount, unit) is not None:
            return amount, unit
    return controls.get("amount"), controls.get("unit")


def regular_end(amount: Any, unit: Any, moment: Moment) -> datetime:
    zone = timing.zone_of(moment.timezone)
    return timing.add(moment.reached_at, timing.duration(amount, unit), zone)


def cron_end(expression: Any, moment: Moment) -> datetime:
    if not expression:
        raise TimingError("Cron is required.")
    if reason := cron.problem(expression):
        raise TimingError(f"Cron {reason}.")
    end = cron.next_after(expression, moment.reached_at, timing.zone_of(moment.timezone))
    if end is None:
        raise TimingError(f"The time of the cron expression {expression} never comes.")
    return end


def dynamic_end(controls: Mapping[str, Any], moment: Moment) -> datetime:
    """The end that a variable tells, or a template that was rendered."""
    key, zone = controls.get("dynamicKey"), timing.zone_of(moment.timezone)
    if not key and "dynamicKey" not in moment.rendered:
        raise TimingError("Dynamic key is required.")
    if "dynamicKey" in moment.rendered or not isinstance(key, str):
        return timing.end_of(key, moment.reached_at, zone)
    value = timing.lookup(key, moment.variables)
    if value is not UNSET:
        return timing.end_of(value, moment.reached_at, zone)
    try:
        return timing.end_of(key, moment.reached_at, zone)
    except TimingError:
        raise TimingError(f"There is no value at {key}; send one with the event.") from None


def check(end: datetime, moment: Moment, longest: timedelta | None, what: str) -> None:
    """Not longer than the operator allows."""
    if longest is not None and end - moment.reached_at > longest:
        raise TimingError(too_long(what, longest))


def key_value(name: str, controls: Mapping[str, Any], moment: Moment) -> str:
    """What the runs of one group share: the value that the control leads to, else its own text."""
    value = controls.get(name)
    if isinstance(value, str) and name not in moment.rendered:
        found = timing.lookup(value, moment.variables)
        value = value if found is UNSET else found
    if value is None or value is UNSET:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def extended(
    due: datetime, schedule: Schedule | None, timezone: str | None, critical: bool, extensions: int
) -> datetime | None:
    """When to go on instead, if a wait with `extendToSchedule` is over outside the subscriber's
    hours; None to go on now. It is put off only so often, and not when it is critical."""
    if critical or extensions >= MOST_EXTENSIONS:
        return None
    opening = schedules.next_open(schedule, due, timing.zone_of(timezone))
    return opening if opening is not None and opening > due else None
