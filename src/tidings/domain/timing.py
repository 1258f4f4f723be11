"""When a wait ends: amounts and units, instants in a payload, wall-clock times in a zone.

Seconds, minutes and hours are lengths of time. Days, weeks and months are steps on the calendar of
the subscriber's zone: they keep the time of day when the clock is changed, and a month from the
31st ends on the last day of a shorter month.
"""

import calendar
import math
import re
from collections.abc import Mapping
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET

from tidings.domain import schemas

Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months"]
UNITS: tuple[Unit, ...] = get_args(Unit)
GRACE = timedelta(minutes=1)
"""An instant that passed no longer ago than this counts as now."""

_LENGTHS: dict[Unit, timedelta] = {
    "seconds": timedelta(seconds=1),
    "minutes": timedelta(minutes=1),
    "hours": timedelta(hours=1),
    "days": timedelta(days=1),
    "weeks": timedelta(weeks=1),
    "months": timedelta(days=30),
}
_ON_THE_CALENDAR = ("days", "weeks", "months")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_EXPECTED = (
    "an instant such as 2026-03-01T09:00:00Z, or an amount and a unit such as "
    '{"amount": 2, "unit": "hours"}'
)
_SHOWN = 60


class TimingError(ValueError):
    """A wait that cannot be reckoned; its text is the sentence that people read."""


class Duration(msgspec.Struct, frozen=True):
    amount: int | float
    unit: Unit


def zone_of(timezone: str | None) -> tzinfo:
    """UTC without a time zone, and for one that is unknown here."""
    if not timezone:
        return UTC
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        return UTC


def duration(amount: Any, unit: Any) -> Duration:
    """What people and templates wrote, read; a number may be written as text."""
    read = number(amount)
    if read is None:
        raise TimingError(f"The amount must be a number, not {_shown(amount)}.")
    if read < 0:
        raise TimingError(f"The amount must not be negative, but is {_shown(amount)}.")
    if unit not in UNITS:
        raise TimingError(f"The unit must be one of {', '.join(UNITS)}, not {_shown(unit)}.")
    return Duration(read, unit)


def number(value: Any) -> int | float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, float) and math.isfinite(value):
        return int(value) if value.is_integer() else value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def add(start: datetime, length: Duration, zone: tzinfo) -> datetime:
    """The end, in UTC. Of a broken number of days, weeks or months the rest is a length of time,
    with months of 30 days."""
    try:
        end, rest = start.astimezone(UTC), length.amount
        if length.unit in _ON_THE_CALENDAR:
            whole, rest = int(length.amount), length.amount - int(length.amount)
            if whole:
                local = start.astimezone(zone).replace(tzinfo=None, fold=0)
                end = at_wall_clock(_on_the_calendar(local, whole, length.unit), zone)
        return end + rest * _LENGTHS[length.unit]
    except OverflowError:
        raise TimingError(f"{_shown(length.amount)} {length.unit} is too long.") from None


def ago(end: datetime, length: Duration, zone: tzinfo) -> datetime:
    """So long before."""
    return add(end, Duration(-length.amount, length.unit), zone)


def at_wall_clock(naive: datetime, zone: tzinfo) -> datetime:
    """When clocks in a zone show this, in UTC: the first time if they show it twice, and the moment
    they are put forward if that passes it over."""
    late = naive.replace(tzinfo=zone, fold=0).astimezone(UTC)
    early = naive.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if late <= early:
        return late
    before = early.astimezone(zone).utcoffset()
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) // 2
        if middle.astimezone(zone).utcoffset() == before:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)


def instant(text: str, zone: tzinfo) -> datetime:
    """An ISO 8601 instant, in UTC; one without a zone is meant in this one."""
    try:
        read = datetime.fromisoformat(text.strip())
        return read.astimezone(UTC) if read.tzinfo else at_wall_clock(read, zone)
    except (ValueError, OverflowError):
        raise TimingError(f"{_shown(text)} is not {_EXPECTED}.") from None


def end_of(value: Any, start: datetime, zone: tzinfo) -> datetime:
    """When a wait ends that begins at `start` and that a variable describes."""
    if isinstance(value, str) and value.strip().startswith("{"):
        value = _object(value)
    if isinstance(value, Mapping):
        return add(start, duration(value.get("amount"), value.get("unit")), zone)
    if value is None or value == "":
        raise TimingError(f"The value is empty; give {_EXPECTED}.")
    if number(value) is not None:
        raise TimingError(f"{_shown(value)} is a number; give {_EXPECTED}.")
    if not isinstance(value, str):
        raise TimingError(f"{_shown(value)} is not {_EXPECTED}.")
    end = instant(value, zone)
    if start - end > GRACE:
        raise TimingError(
            f"{_shown(value)} was already past when the step was reached at {_iso(start)}."
        )
    return max(end, start.astimezone(UTC))


def milliseconds(start: datetime, end: datetime) -> int:
    return (end - start) // timedelta(milliseconds=1)


def lookup(path: str, variables: Mapping[str, Any]) -> Any:
    """The value at a dotted path, UNSET if there is none; `orderId` means `payload.orderId`."""
    names = schemas.parts(path)
    if not names:
        return UNSET
    found = _at(variables, names) if names[0] in variables else UNSET
    return _at(variables.get("payload"), names) if found is UNSET else found


def _at(node: Any, names: list[str]) -> Any:
    for name in names:
        if isinstance(node, Mapping) and name in node:
            node = node[name]
        elif isinstance(node, list | tuple) and name.isdecimal() and int(name) < len(node):
            node = node[int(name)]
        else:
            return UNSET
    return node


def _on_the_calendar(local: datetime, amount: int, unit: Unit) -> datetime:
    if unit != "months":
        return local + amount * _LENGTHS[unit]
    year, month = divmod(local.year * 12 + local.month - 1 + amount, 12)
    if not 1 <= year <= MAXYEAR:
        raise OverflowError
    last = calendar.monthrange(year, month + 1)[1]
    return local.replace(year=year, month=month + 1, day=min(local.day, last))


def _object(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _shown(value: Any) -> str:
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError):
        text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
