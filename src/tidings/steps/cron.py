"""Cron expressions in a time zone, across changes of the clock.

An expression for every hour follows the clock as it runs: it comes twice in an hour that is
repeated. Any other names times of day: one that is repeated comes the first time only, one that is
passed over comes when the clock is put forward.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

from cronsim import CronSim, CronSimError

from tidings.domain import timing

_OCCURRENCES = 50
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_LONGEST = 200
_EXPECTED = "must be a cron expression of five fields such as 0 9 * * 1-5"


def problem(expression: Any) -> str | None:
    """Why this is not a cron expression, if it is not."""
    if not isinstance(expression, str) or len(expression) > _LONGEST:
        return _EXPECTED
    return _problem(expression)


@lru_cache
def _problem(expression: str) -> str | None:
    fields = len(expression.split())
    if fields == 6:
        return f"{_EXPECTED}; seconds cannot be given, once a minute is the most"
    if fields != 5:
        return f"{_EXPECTED} (it has {fields})"
    try:
        if next(CronSim(expression, _ANY_TIME), None) is None:
            return f"{_EXPECTED} (this one never comes)"
    except CronSimError as error:
        return f"{_EXPECTED} ({error})"
    except (ValueError, TypeError, AssertionError):
        return _EXPECTED
    return None


def next_after(expression: str, start: datetime, zone: tzinfo) -> datetime | None:
    """The first time strictly after the start, in UTC; None if it never comes or is no cron
    expression."""
    if problem(expression):
        return None
    try:
        local = start.astimezone(zone)
        if expression.split()[1] in ("*", "*/1"):
            return next(CronSim(expression, local)).astimezone(UTC)
        for naive in CronSim(expression, local.replace(tzinfo=None, fold=0)):
            moment = timing.at_wall_clock(naive, zone)
            if moment > start:
                return moment
    except (StopIteration, OverflowError):
        pass
    return None


def longest_gap(expression: str) -> timedelta:
    """The longest time between neighbours among the next occurrences."""
    times = [_ANY_TIME, *islice(CronSim(expression, _ANY_TIME), _OCCURRENCES)]
    return max((later - former for former, later in pairwise(times)), default=timedelta.max)
