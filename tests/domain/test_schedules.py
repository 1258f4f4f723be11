from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from tidings.domain.schedules import (
    WEEKDAYS,
    DaySchedule,
    Schedule,
    TimeRange,
    WeeklySchedule,
    is_open,
    minutes,
    next_open,
    normal,
    twelve_hour,
)

MINUTE = timedelta(minutes=1)
NEW_YORK = ZoneInfo("America/New_York")
ZONES = st.sampled_from(
    [
        UTC,
        NEW_YORK,
        ZoneInfo("Europe/Paris"),
        ZoneInfo("Australia/Lord_Howe"),
        ZoneInfo("Asia/Kathmandu"),
        ZoneInfo("Pacific/Kiritimati"),
    ]
)
MINUTES = st.integers(0, 24 * 60 - 1)
RANGES = (
    st.tuples(MINUTES, MINUTES)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: TimeRange(twelve_hour(pair[0]), twelve_hour(pair[1])))
)
DAYS = st.builds(DaySchedule, st.booleans(), st.lists(RANGES, max_size=2))
WEEKS = st.fixed_dictionaries({}, optional=dict.fromkeys(WEEKDAYS, DAYS)).map(
    lambda days: Schedule(True, WeeklySchedule(**days))
)
# Around the days on which clocks are turned, and around any other.
MOMENTS = st.builds(
    lambda start, minute: start + minute * MINUTE,
    st.sampled_from(
        [
            datetime(2026, 3, 7, tzinfo=UTC),
            datetime(2026, 3, 28, tzinfo=UTC),
            datetime(2026, 4, 4, tzinfo=UTC),
            datetime(2026, 10, 24, tzinfo=UTC),
            datetime(2026, 10, 31, tzinfo=UTC),
            datetime(2026, 6, 15, tzinfo=UTC),
        ]
    ),
    st.integers(0, 3 * 24 * 60),
)


def week(**days: list[tuple[str, str]]) -> Schedule:
    return Schedule(
        True,
        WeeklySchedule(
            **{
                day: DaySchedule(True, [TimeRange(start, end) for start, end in ranges])
                for day, ranges in days.items()
            }
        ),
    )


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("12:00 AM", 0),
        ("12:30 am", 30),
        ("09:00 AM", 540),
        ("9:05am", 545),
        ("12:00 PM", 720),
        ("11:59 PM", 1439),
        ("00:00", 0),
        ("17:30", 1050),
        ("13:00 PM", None),
        ("00:00 AM", None),
        ("24:00", None),
        ("9", None),
        ("", None),
        ("09:0\u0660", None),
    ],
)
def test_times_of_day(text: str, minute: int | None) -> None:
    assert minutes(text) == minute


@given(MINUTES)
def test_every_minute_comes_back_from_its_text(minute: int) -> None:
    assert minutes(twelve_hour(minute)) == minute
    assert minutes(f"{minute // 60:02}:{minute % 60:02}") == minute


@given(WEEKS, MOMENTS, ZONES)
@settings(max_examples=60)
def test_the_next_opening_is_the_first_open_minute(
    schedule: Schedule, moment: datetime, zone: ZoneInfo
) -> None:
    found = next_open(schedule, moment, zone)
    until = moment + timedelta(days=7) if found is None else found
    closed = moment
    while closed < until:
        assert not is_open(schedule, closed, zone)
        closed += MINUTE
    if found is not None:
        assert is_open(schedule, found, zone)


@pytest.mark.parametrize("schedule", [None, Schedule(False, WeeklySchedule()), Schedule(True)])
def test_no_schedule_is_always_open(schedule: Schedule | None) -> None:
    moment = datetime(2026, 6, 15, 3, tzinfo=UTC)
    assert is_open(schedule, moment, UTC)
    assert next_open(schedule, moment, UTC) == moment


def test_an_empty_week_is_never_open() -> None:
    moment = datetime(2026, 6, 15, 3, tzinfo=UTC)
    assert not is_open(Schedule(True, WeeklySchedule()), moment, UTC)
    assert next_open(Schedule(True, WeeklySchedule()), moment, UTC) is None


@pytest.mark.parametrize(
    ("hour", "minute", "expected"),
    [(8, 59, False), (9, 0, True), (17, 0, True), (17, 1, False)],
)
def test_both_ends_belong_to_the_range(hour: int, minute: int, expected: bool) -> None:
    monday = datetime(2026, 6, 15, hour, minute, 30, tzinfo=UTC)
    assert is_open(week(monday=[("09:00 AM", "05:00 PM")]), monday, UTC) is expected


@pytest.mark.parametrize(
    ("day", "hour", "expected"),
    [(15, 21, False), (15, 23, True), (16, 1, True), (16, 3, False), (15, 1, False)],
)
def test_a_range_past_midnight_belongs_to_the_day_it_starts_on(
    day: int, hour: int, expected: bool
) -> None:
    night = week(monday=[("10:00 PM", "02:00 AM")])
    assert is_open(night, datetime(2026, 6, day, hour, tzinfo=UTC), UTC) is expected


def test_the_weekday_is_the_subscribers() -> None:
    still_sunday_in_new_york = datetime(2026, 6, 15, 3, tzinfo=UTC)
    assert is_open(week(sunday=[("08:00 PM", "11:59 PM")]), still_sunday_in_new_york, NEW_YORK)


def test_a_beginning_that_the_clock_skips_is_the_moment_it_skips_to() -> None:
    schedule = week(sunday=[("02:30 AM", "05:00 AM")])
    before = datetime(2026, 3, 8, 6, 0, tzinfo=UTC)  # 01:00 in New York
    assert next_open(schedule, before, NEW_YORK) == datetime(2026, 3, 8, 7, 0, tzinfo=UTC)


def test_an_hour_that_comes_twice_is_open_twice() -> None:
    schedule = week(sunday=[("01:10 AM", "01:20 AM")])
    between = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)  # 01:30, the first time
    assert next_open(schedule, between, NEW_YORK) == datetime(2026, 11, 1, 6, 10, tzinfo=UTC)


def test_times_are_kept_on_a_twelve_hour_clock() -> None:
    schedule, problems = normal(week(friday=[("9:00", "17:30"), ("10:00 pm", "2:00 AM")]))
    assert problems == {}
    assert schedule == week(friday=[("09:00 AM", "05:30 PM"), ("10:00 PM", "02:00 AM")])


def test_wrong_times_are_named_by_their_place() -> None:
    _, problems = normal(week(monday=[("9:00", "9:00 AM")], tuesday=[("nine", "17:00")]))
    assert set(problems) == {
        "weeklySchedule.monday.hours.0.end",
        "weeklySchedule.tuesday.hours.0.start",
    }


def test_days_without_hours_stay_as_they_are() -> None:
    given = Schedule(True, WeeklySchedule(monday=DaySchedule(False)))
    kept, problems = normal(given)
    assert (kept, problems) == (given, {})
    assert given.weekly_schedule is not UNSET
