"""Weekly schedules: the hours in which a subscriber wants to be reached.

Times are wall-clock times of the subscriber's zone. A range holds from its first minute to its last
one, both included; one that ends before it starts runs past midnight into the next day.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal, get_args
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, UnsetType

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
MOST_RANGES = 24

_TWELVE = re.compile(r"(0?[1-9]|1[0-2]):([0-5]\d) ?([AaPp])[Mm]", re.ASCII)
_TWENTY_FOUR = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_DAY = timedelta(days=1)
_SEARCHED_DAYS = 8
_SECOND = timedelta(seconds=1)


class TimeRange(msgspec.Struct, frozen=True):
    """Times as people write them: `09:00 AM`, or `09:00`."""

    start: str
    end: str


class DaySchedule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    is_enabled: bool
    hours: list[TimeRange] | UnsetType = UNSET


class WeeklySchedule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A day that is missing is closed."""

    monday: DaySchedule | UnsetType = UNSET
    tuesday: DaySchedule | UnsetType = UNSET
    wednesday: DaySchedule | UnsetType = UNSET
    thursday: DaySchedule | UnsetType = UNSET
    friday: DaySchedule | UnsetType = UNSET
    saturday: DaySchedule | UnsetType = UNSET
    sunday: DaySchedule | UnsetType = UNSET


class Schedule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Without a week, or not enabled, it is always open."""

    is_enabled: bool
    weekly_schedule: WeeklySchedule | UnsetType = UNSET


def zone_of(timezone: str | None) -> tzinfo:
    return UTC if timezone is None else ZoneInfo(timezone)


def minutes(text: str) -> int | None:
    """Minutes since midnight, of a 12-hour or a 24-hour time; None for anything else."""
    if twelve := _TWELVE.fullmatch(text):
        hour, minute, half = twelve.groups()
        return int(hour) % 12 * 60 + int(minute) + (720 if half in "Pp" else 0)
    if full := _TWENTY_FOUR.fullmatch(text):
        return int(full[1]) * 60 + int(full[2])
    return None


def twelve_hour(minute: int) -> str:
    """`540` as `09:00 AM`."""
    hour, rest = divmod(minute, 60)
    return f"{(hour - 1) % 12 + 1:02}:{rest:02} {'AM' if hour < 12 else 'PM'}"


def normal(schedule: Schedule) -> tuple[Schedule, dict[str, str]]:
    """The schedule with its times on a 12-hour clock, and what is wrong with it, by path."""
    if schedule.weekly_schedule is UNSET:
        return schedule, {}
    problems: dict[str, str] = {}
    days = {}
    for weekday in WEEKDAYS:
        day: DaySchedule | UnsetType = getattr(schedule.weekly_schedule, weekday)
        if day is not UNSET and day.hours is not UNSET:
            path = f"weeklySchedule.{weekday}.hours"
            if len(day.hours) > MOST_RANGES:
                problems[path] = f"must have at most {MOST_RANGES} ranges"
            hours = [
                _normal(each, f"{path}.{index}", problems) for index, each in enumerate(day.hours)
            ]
            day = DaySchedule(day.is_enabled, hours)
        days[weekday] = day
    return Schedule(schedule.is_enabled, WeeklySchedule(**days)), problems


def is_open(schedule: Schedule | None, moment: datetime, zone: tzinfo) -> bool:
    """Whether the subscriber wants to be reached at that moment."""
    week = _week(schedule)
    if week is None:
        return True
    local = moment.astimezone(zone)
    minute = local.hour * 60 + local.minute
    today, yesterday = _ranges(week, local.date()), _ranges(week, local.date() - _DAY)
    return any(
        start <= minute <= end if start <= end else minute >= start for start, end in today
    ) or any(minute <= end < start for start, end in yesterday)


def next_open(schedule: Schedule | None, moment: datetime, zone: tzinfo) -> datetime | None:
    """The first moment from this one on at which it is open, in UTC; None when it never is."""
    moment = moment.astimezone(UTC)
    if is_open(schedule, moment, zone):
        return moment
    week = _week(schedule)
    assert week is not None
    candidates = sorted({*_starts(week, moment, zone), *_clock_changes(moment, zone)})
    return next(
        (each for each in candidates if each >= moment and is_open(schedule, each, zone)), None
    )


def _week(schedule: Schedule | None) -> WeeklySchedule | None:
    if schedule is None or not schedule.is_enabled or schedule.weekly_schedule is UNSET:
        return None
    return schedule.weekly_schedule


def _ranges(week: WeeklySchedule, day: date) -> Iterator[tuple[int, int]]:
    schedule: DaySchedule | UnsetType = getattr(week, WEEKDAYS[day.weekday()])
    if schedule is not UNSET and schedule.is_enabled and schedule.hours is not UNSET:
        for each in schedule.hours:
            start, end = minutes(each.start), minutes(each.end)
            if start is not None and end is not None:
                yield start, end


def _starts(week: WeeklySchedule, moment: datetime, zone: tzinfo) -> Iterator[datetime]:
    """When ranges begin, both times where the clock is turned back over the beginning."""
    today = moment.astimezone(zone).date()
    for day in (today + number * _DAY for number in range(-1, _SEARCHED_DAYS)):
        for start, _ in _ranges(week, day):
            at = datetime.combine(day, time(start // 60, start % 60), zone)
            yield at.astimezone(UTC)
            yield at.replace(fold=1).astimezone(UTC)


def _clock_changes(moment: datetime, zone: tzinfo) -> Iterator[datetime]:
    """When the clock is turned, which can lead right into the middle of a range."""
    for number in range(_SEARCHED_DAYS):
        early, late = moment + number * _DAY, moment + (number + 1) * _DAY
        if _offset(early, zone) != _offset(late, zone):
            before = _offset(early, zone)
            while late - early > _SECOND:
                middle = early + (late - early) // 2
                if _offset(middle, zone) == before:
                    early = middle
                else:
                    late = middle
            yield late.replace(microsecond=0)


def _offset(moment: datetime, zone: tzinfo) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


def _normal(given: TimeRange, path: str, problems: dict[str, str]) -> TimeRange:
    start, end = minutes(given.start), minutes(given.end)
    for name, value in (("start", start), ("end", end)):
        if value is None:
            problems[f"{path}.{name}"] = "must be a time of day such as 09:00 AM or 17:30"
    if start is None or end is None:
        return given
    if start == end:
        problems[f"{path}.end"] = "must differ from start; the whole day is 12:00 AM to 11:59 PM"
    return TimeRange(twelve_hour(start), twelve_hour(end))
