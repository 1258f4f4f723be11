"""Lengths of time that people write: an amount and a unit, or a cron expression."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from tidings.domain.timing import Unit
from tidings.steps import cron
from tidings.steps.base import Problem

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
    if isinstance(amount, bool) or not isinstance(amount, int | float) or unit not in _LENGTHS:
        return None
    try:
        return amount * _LENGTHS[unit]
    except OverflowError:
        return timedelta.max


def in_words(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    return f"{hours / 24:g} days" if hours % 24 == 0 else f"{hours:g} hours"


def problems(values: Mapping[str, Any], longest: timedelta | None, what: str) -> Iterable[Problem]:
    """A cron expression that is none, and waits longer than the operator allows."""
    given = values.get("cron")
    timed = values.get("type") == "timed" and isinstance(given, str) and given != ""
    if timed and (reason := cron.problem(given)):
        yield Problem("cron", f"Cron {reason}")
        return
    if longest is None:
        return
    words = f"The {what} may take at most {in_words(longest)} here. Ask the operator for more."
    if timed:
        if cron.longest_gap(str(given)) > longest:
            yield Problem("cron", words, over_limit=True)
        return
    span = length(values.get("amount"), values.get("unit"))
    if span is not None and span > longest:
        yield Problem("amount", words, over_limit=True)
        yield Problem("unit", words, over_limit=True)
