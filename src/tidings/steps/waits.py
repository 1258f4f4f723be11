"""Lengths of time that people write: an amount and a unit, or a cron expression."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Any, Literal

from cronsim import CronSim, CronSimError

from tidings.steps.base import Problem

Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months"]

_LENGTHS: dict[str, timedelta] = {
    "seconds": timedelta(seconds=1),
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    "months": timedelta(days=31),
}
_OCCURRENCES = 50
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)


def length(amount: Any, unit: Any) -> timedelta | None:
    """At most so long (a month counts as 31 days); None when it cannot be told."""
    if isinstance(amount, bool) or not isinstance(amount, int | float) or unit not in _LENGTHS:
        return None
    try:
        return amount * _LENGTHS[unit]
    except OverflowError:
        return timedelta.max


def cron_problem(expression: str) -> str | None:
    """Why this is not a cron expression, if it is not."""
    try:
        next(CronSim(expression, _ANY_TIME), None)
    except CronSimError as error:
        return f"must be a cron expression of five fields such as 0 9 * * 1-5 ({error})"
    return None


def longest_gap(expression: str) -> timedelta:
    """The longest time between neighbours among the next occurrences."""
    times = [_ANY_TIME, *islice(CronSim(expression, _ANY_TIME), _OCCURRENCES)]
    return max((later - former for former, later in pairwise(times)), default=timedelta.max)


def in_words(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    number, unit = (hours / 24, "day") if hours % 24 == 0 else (hours, "hour")
    return f"{number:g} {unit}{'' if number == 1 else 's'}"


def problems(values: Mapping[str, Any], longest: timedelta | None, what: str) -> Iterable[Problem]:
    """A cron expression that is none, and waits longer than the operator allows."""
    cron = values.get("cron")
    timed = values.get("type") == "timed" and isinstance(cron, str) and cron != ""
    if timed and (reason := cron_problem(str(cron))):
        yield Problem("cron", f"Cron {reason}")
        return
    if longest is None:
        return
    words = f"The {what} may take at most {in_words(longest)} here. Ask the operator for more."
    if timed:
        if longest_gap(str(cron)) > longest:
            yield Problem("cron", words, over_limit=True)
        return
    span = length(values.get("amount"), values.get("unit"))
    if span is not None and span > longest:
        yield Problem("amount", words, over_limit=True)
        yield Problem("unit", words, over_limit=True)
