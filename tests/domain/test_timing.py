import contextlib
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from tidings.domain import timing
from tidings.domain.timing import UNITS, Duration, TimingError, Unit

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
ZONES = st.sampled_from(
    [UTC, BERLIN, NEW_YORK, LORD_HOWE, ZoneInfo("Pacific/Apia"), ZoneInfo("America/Havana")]
)
CENTURY = [datetime.fromisoformat(year) for year in ("2000-01-01", "2100-01-01")]
MOMENTS = st.datetimes(*CENTURY, timezones=st.just(UTC))
DURATIONS = st.builds(
    Duration,
    st.integers(1, 500) | st.floats(0.001, 500).filter(lambda value: value > 0.001),
    st.sampled_from(UNITS),
)


def at(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("zone", "start", "amount", "unit", "end"),
    [
        # A day keeps the time of day, 24 hours do not.
        (BERLIN, "2026-03-28T10:00", 1, "days", "2026-03-29T10:00"),
        (BERLIN, "2026-03-28T10:00", 24, "hours", "2026-03-29T11:00"),
        (BERLIN, "2026-10-24T10:00", 1, "days", "2026-10-25T10:00"),
        (BERLIN, "2026-10-24T10:00", 24, "hours", "2026-10-25T09:00"),
        (NEW_YORK, "2026-03-01T09:30", 1, "weeks", "2026-03-08T09:30"),
        (NEW_YORK, "2026-10-25T09:30", 1, "weeks", "2026-11-01T09:30"),
        (LORD_HOWE, "2026-04-04T12:00", 1, "days", "2026-04-05T12:00"),
        (LORD_HOWE, "2026-10-03T12:00", 24, "hours", "2026-10-04T12:30"),
        # A time that is passed over comes when the clock is put forward.
        (BERLIN, "2026-03-28T02:30", 1, "days", "2026-03-29T03:00"),
        (NEW_YORK, "2026-02-08T02:15", 1, "months", "2026-03-08T03:00"),
        (LORD_HOWE, "2026-10-03T02:10", 1, "days", "2026-10-04T02:30"),
        # A time that is shown twice comes the first time.
        (BERLIN, "2026-10-24T02:30", 1, "days", "2026-10-25T02:30"),
        # Months end on their last day.
        (BERLIN, "2026-01-31T08:00", 1, "months", "2026-02-28T08:00"),
        (BERLIN, "2028-01-31T08:00", 1, "months", "2028-02-29T08:00"),
        (BERLIN, "2026-01-31T08:00", 2, "months", "2026-03-31T08:00"),
        (BERLIN, "2026-12-31T08:00", 2, "months", "2027-02-28T08:00"),
        (BERLIN, "2026-05-05T08:00", 12, "months", "2027-05-05T08:00"),
        # A year of days, and the rest of a broken day.
        (NEW_YORK, "2026-06-01T08:00", 365, "days", "2027-06-01T08:00"),
        (BERLIN, "2026-06-01T08:00", 1.5, "days", "2026-06-02T20:00"),
        (BERLIN, "2026-06-01T08:00", 0.5, "minutes", "2026-06-01T08:00:30"),
    ],
)
def test_a_duration_ends_where_people_expect(
    zone: ZoneInfo, start: str, amount: float, unit: Unit, end: str
) -> None:
    assert timing.add(at(start, zone), Duration(amount, unit), zone) == at(end, zone)


@given(MOMENTS, DURATIONS, ZONES)
def test_a_duration_ends_after_its_start_and_again_at_the_same_moment(
    start: datetime, length: Duration, zone: ZoneInfo
) -> None:
    end = timing.add(start, length, zone)
    assert end > start
    assert end == timing.add(start, length, zone)
    assert end.tzinfo is UTC


@given(MOMENTS, st.integers(1, 500), st.sampled_from(["days", "weeks"]), ZONES)
def test_days_keep_the_time_of_day_unless_the_clock_passes_it_over(
    start: datetime, amount: int, unit: Unit, zone: ZoneInfo
) -> None:
    end = timing.add(start, Duration(amount, unit), zone).astimezone(zone)
    wanted = start.astimezone(zone).replace(tzinfo=None) + timedelta(
        days=amount * (7 if unit == "weeks" else 1)
    )
    shown = end.replace(tzinfo=None)
    assert shown == wanted or wanted < shown <= wanted + timedelta(days=1)
    if shown != wanted:
        before = (end.astimezone(UTC) - timedelta(seconds=1)).astimezone(zone)
        assert before.utcoffset() != end.utcoffset()


@given(MOMENTS, st.integers(1, 120), ZONES)
def test_months_keep_the_day_or_end_on_the_last(
    start: datetime, amount: int, zone: ZoneInfo
) -> None:
    end = timing.add(start, Duration(amount, "months"), zone).astimezone(zone)
    day = start.astimezone(zone).day
    # A whole day is passed over in one zone and one year, and then the next one is the end.
    assert end.day == day or (end.day < day and (end + timedelta(days=1)).day in (1, 2))


@given(MOMENTS, st.integers(1, 1000), st.sampled_from(["seconds", "minutes", "hours"]), ZONES)
def test_short_units_are_lengths_of_time(
    start: datetime, amount: int, unit: Unit, zone: ZoneInfo
) -> None:
    length = timedelta(**{unit: amount})
    assert timing.add(start, Duration(amount, unit), zone) - start == length
    assert timing.ago(start + length, Duration(amount, unit), zone) == start


@pytest.mark.parametrize(
    ("amount", "unit", "sentence"),
    [
        ("soon", "hours", 'The amount must be a number, not "soon".'),
        (True, "hours", "The amount must be a number, not true."),
        (None, "hours", "The amount must be a number, not null."),
        (float("nan"), "hours", "The amount must be a number, not null."),
        (-1, "hours", "The amount must not be negative, but is -1."),
        (1, "fortnights", "The unit must be one of seconds, minutes, hours, days, weeks, months"),
        (1, None, "not null."),
        (1, ["days"], 'not ["days"].'),
    ],
)
def test_a_duration_that_is_none_is_refused(amount: Any, unit: Any, sentence: str) -> None:
    with pytest.raises(TimingError) as refused:
        timing.duration(amount, unit)
    assert sentence in str(refused.value)


def test_numbers_may_be_written_as_text() -> None:
    assert timing.duration(" 15 ", "minutes") == Duration(15, "minutes")
    assert timing.duration("1.5", "hours") == Duration(1.5, "hours")
    assert timing.duration(2.0, "hours") == Duration(2, "hours")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("amount", [1e300, 10**30, 10**400, 10**12])
def test_an_end_beyond_the_calendar_is_refused(unit: Unit, amount: float) -> None:
    with pytest.raises(TimingError, match="too long"):
        timing.add(datetime(2026, 1, 1, tzinfo=UTC), Duration(amount, unit), BERLIN)


START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "end"),
    [
        ("2026-03-01T15:00:00Z", "2026-03-01T15:00:00+00:00"),
        ("2026-03-01T15:00:00+02:00", "2026-03-01T13:00:00+00:00"),
        ("2026-03-01T15:00:00", "2026-03-01T14:00:00+00:00"),
        ("2026-03-29T02:30:00", "2026-03-29T01:00:00+00:00"),
        (" 2026-03-02 ", "2026-03-01T23:00:00+00:00"),
        ({"amount": 2, "unit": "hours"}, "2026-03-01T14:00:00+00:00"),
        ('{"amount": "2", "unit": "hours"}', "2026-03-01T14:00:00+00:00"),
        ({"amount": 1, "unit": "months"}, "2026-04-01T11:00:00+00:00"),
        ({"amount": 0, "unit": "hours"}, "2026-03-01T12:00:00+00:00"),
        # Just past counts as now.
        ("2026-03-01T11:59:00Z", "2026-03-01T12:00:00+00:00"),
    ],
)
def test_a_variable_says_when_a_wait_ends(value: Any, end: str) -> None:
    assert timing.end_of(value, START, BERLIN) == datetime.fromisoformat(end)


def test_an_instant_without_a_zone_is_meant_in_utc_when_the_subscriber_has_none() -> None:
    assert timing.end_of("2026-03-01T15:00", START, timing.zone_of(None)).hour == 15


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (1767225600, "1767225600 is a number; give an instant such as"),
        ("1767225600", '"1767225600" is a number'),
        (True, "true is not an instant"),
        (None, "The value is empty"),
        ("", "The value is empty"),
        ("tomorrow", '"tomorrow" is not an instant such as 2026-03-01T09:00:00Z, or'),
        ("{broken", "is not an instant"),
        ([1], "[1] is not an instant"),
        ({}, "The amount must be a number"),
        ({"amount": 1, "unit": "years"}, "The unit must be one of"),
        ("2026-03-01T11:58:59Z", "was already past when the step was reached at 2026-03-01T12:00"),
        ("0001-01-01T00:00:00+14:00", "is not an instant"),
    ],
)
def test_a_value_that_says_nothing_is_refused_with_a_sentence(value: Any, sentence: str) -> None:
    with pytest.raises(TimingError) as refused:
        timing.end_of(value, START, BERLIN)
    assert sentence in str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(JSON | st.fixed_dictionaries({"amount": JSON, "unit": st.sampled_from(UNITS)}), ZONES)
def test_any_value_is_either_understood_or_refused(value: Any, zone: ZoneInfo) -> None:
    with contextlib.suppress(TimingError):
        assert timing.end_of(value, START, zone) >= START


@pytest.mark.parametrize(
    "name", ["", "Mars/Olympus", "../../etc/passwd", "Europe", "a\0b", "x" * 999]
)
def test_an_unknown_zone_is_utc(name: str) -> None:
    assert timing.zone_of(name) is UTC


VARIABLES: dict[str, Any] = {
    "payload": {
        "orderId": 7,
        "order": {"lines": [{"at": "x"}]},
        "subscriber": {"plan": "pro"},
        "none": None,
    },
    "subscriber": {"data": {"team": "a"}},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("payload.orderId", 7),
        ("orderId", 7),
        ("payload.order.lines[0].at", "x"),
        ("order.lines.0.at", "x"),
        ("subscriber.data.team", "a"),
        ("subscriber.plan", "pro"),
        ("payload.none", None),
        ("payload.missing", UNSET),
        ("order.lines.1.at", UNSET),
        ("order.lines.x", UNSET),
        ("orderId.more", UNSET),
        ("", UNSET),
        ("...", UNSET),
    ],
)
def test_a_path_leads_to_its_value(path: str, value: Any) -> None:
    assert timing.lookup(path, VARIABLES) == value


@given(st.text(max_size=20), JSON)
def test_looking_up_never_fails(path: str, payload: Any) -> None:
    timing.lookup(path, {"payload": payload})
