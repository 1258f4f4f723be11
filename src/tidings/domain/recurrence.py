"""Times that come again, as older workflows describe them: at nine on weekdays, on the last Friday
of every second month."""

import calendar
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Literal

import msgspec

from tidings.domain import schedules, timing
from tidings.domain.schedules import WEEKDAYS, Weekday
from tidings.domain.timing import Duration, TimingError, Unit

OrdinalValue = Literal["day", "weekday", "weekend"] | Weekday
_SEARCHED = 400
_NAMED: dict[str, range] = {"day": range(7), "weekday": range(5), "weekend": range(5, 7)}


class TimedConfig(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    at_time: str | None = None
    """`09:00` or `09:00 AM`; the time of the beginning without one."""
    week_days: tuple[Weekday, ...] = ()
    month_days: tuple[int, ...] = ()
    """The 31st means the last day of a shorter month."""
    ordinal: Literal["1", "2", "3", "4", "5", "last"] | None = None
    ordinal_value: OrdinalValue | None = None
    monthly_type: Literal["each", "on"] | None = None
    """`each` of the days of the month, or `on` the ordinal one."""


def read(given: Any) -> TimedConfig:
    try:
        return msgspec.convert(given, TimedConfig, strict=False)
    except msgspec.ValidationError as error:
        raise TimingError(f"The timed settings cannot be read: {error}.") from None


def next_occurrence(
    config: TimedConfig, start: datetime, zone: tzinfo, unit: Unit | None = None, every: int = 1
) -> datetime:
    """The first one strictly after the start, which also begins the count of every second one."""
    unit = unit or _unit(config)
    try:
        if unit in ("seconds", "minutes", "hours"):
            return timing.add(start, Duration(max(every, 1), unit), zone)
        local = start.astimezone(zone).replace(tzinfo=None, fold=0)
        at = _time_of_day(config, local)
        for day in _days(config, unit, local.date(), max(every, 1)):
            moment = timing.at_wall_clock(datetime.combine(day, at), zone)
            if moment > start:
                return moment
    except TimingError:
        raise
    except (OverflowError, ValueError):
        pass
    raise TimingError("The timed settings name no day that comes.")


def _unit(config: TimedConfig) -> Unit:
    if config.month_days or config.ordinal or config.monthly_type:
        return "months"
    return "weeks" if config.week_days else "days"


def _time_of_day(config: TimedConfig, local: datetime) -> time:
    if config.at_time is None:
        return local.time()
    minute = schedules.minutes(config.at_time.strip())
    if minute is None:
        raise TimingError(f"The time must be one such as 09:00, not {config.at_time!r}.")
    return time(minute // 60, minute % 60)


def _days(config: TimedConfig, unit: Unit, first: date, every: int) -> Iterator[date]:
    if unit == "months":
        yield from _months(config, first, every)
    elif unit == "weeks":
        chosen = sorted({WEEKDAYS.index(day) for day in config.week_days}) or [first.weekday()]
        monday = first - timedelta(days=first.weekday())
        for number in range(_SEARCHED):
            week = monday + number * every * timedelta(weeks=1)
            yield from (week + timedelta(days=day) for day in chosen)
    else:
        for number in range(_SEARCHED):
            yield first + number * every * timedelta(days=1)


def _months(config: TimedConfig, first: date, every: int) -> Iterator[date]:
    for number in range(_SEARCHED):
        year, month = divmod(first.year * 12 + first.month - 1 + number * every, 12)
        last = calendar.monthrange(year, month + 1)[1]
        if config.monthly_type == "on" or (config.monthly_type is None and config.ordinal):
            yield from _ordinal(config, [date(year, month + 1, day + 1) for day in range(last)])
        else:
            wanted = config.month_days or (first.day,)
            chosen = {min(day, last) for day in wanted if day >= 1}
            yield from (date(year, month + 1, day) for day in sorted(chosen))


def _ordinal(config: TimedConfig, month: list[date]) -> list[date]:
    """The day of the month that is meant: none when it has no fifth Monday."""
    value = config.ordinal_value or "day"
    weekdays = _NAMED.get(value) or (WEEKDAYS.index(value),)
    matching = [day for day in month if day.weekday() in weekdays]
    if config.ordinal == "last":
        return matching[-1:]
    place = int(config.ordinal or "1")
    return matching[place - 1 : place]
