from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain import recurrence
from tidings.domain.recurrence import TimedConfig
from tidings.domain.schedules import WEEKDAYS
from tidings.domain.timing import TimingError, Unit

BERLIN = ZoneInfo("Europe/Berlin")
START = "2026-03-04T10:00"  # a Wednesday


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("given_", "unit", "every", "expected"),
    [
        ({"atTime": "09:00"}, "days", 1, "2026-03-05T09:00"),
        ({"atTime": "11:30"}, "days", 1, "2026-03-04T11:30"),
        ({"atTime": "05:15 PM"}, None, 1, "2026-03-04T17:15"),
        ({"atTime": "09:00"}, "days", 3, "2026-03-07T09:00"),
        ({}, "days", 1, "2026-03-05T10:00"),
        ({"atTime": "09:00", "weekDays": ["monday", "friday"]}, "weeks", 1, "2026-03-06T09:00"),
        ({"atTime": "09:00", "weekDays": ["monday"]}, None, 1, "2026-03-09T09:00"),
        ({"atTime": "09:00", "weekDays": ["monday"]}, "weeks", 2, "2026-03-16T09:00"),
        ({"atTime": "09:00"}, "weeks", 1, "2026-03-11T09:00"),
        ({"atTime": "09:00", "monthDays": ["1", "15"]}, "months", 1, "2026-03-15T09:00"),
        ({"atTime": "09:00", "monthDays": [1]}, "months", 1, "2026-04-01T09:00"),
        ({"atTime": "09:00", "monthDays": [31], "monthlyType": "each"}, "months", 1,
         "2026-03-31T09:00"),
        ({"atTime": "09:00", "monthDays": [31]}, "months", 11, "2026-03-31T09:00"),
        ({"atTime": "09:00", "ordinal": "1", "ordinalValue": "monday", "monthlyType": "on"},
         "months", 1, "2026-04-06T09:00"),
        ({"atTime": "09:00", "ordinal": "last", "ordinalValue": "friday"}, None, 1,
         "2026-03-27T09:00"),
        ({"atTime": "09:00", "ordinal": "last", "ordinalValue": "day"}, None, 1,
         "2026-03-31T09:00"),
        ({"atTime": "09:00", "ordinal": "5", "ordinalValue": "sunday"}, None, 1,
         "2026-03-29T09:00"),
        # March has no fifth Wednesday.
        ({"atTime": "09:00", "ordinal": "5", "ordinalValue": "wednesday"}, None, 1,
         "2026-04-29T09:00"),
        ({"atTime": "09:00", "ordinal": "last", "ordinalValue": "weekday"}, None, 2,
         "2026-03-31T09:00"),
        ({"atTime": "09:00", "ordinal": "2", "ordinalValue": "weekend"}, None, 1,
         "2026-03-07T09:00"),
        ({}, "minutes", 5, "2026-03-04T10:05"),
        ({}, "hours", 2, "2026-03-04T12:00"),
        # The time that is passed over when the clock is put forward.
        ({"atTime": "02:30", "monthDays": [29]}, "months", 1, "2026-03-29T03:00"),
    ],
)  # fmt: skip
def test_the_next_one_comes_as_described(
    given_: dict[str, Any], unit: Unit | None, every: int, expected: str
) -> None:
    config = recurrence.read(given_)
    assert recurrence.next_occurrence(config, at(START), BERLIN, unit, every) == at(expected)


def test_the_31st_is_the_last_day_of_a_shorter_month() -> None:
    config = TimedConfig(at_time="09:00", month_days=(31,))
    april = recurrence.next_occurrence(config, at("2026-03-31T09:00"), BERLIN)
    assert april == at("2026-04-30T09:00")


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ({"atTime": "half past nine"}, "The time must be one such as 09:00"),
        ({"ordinal": "6"}, "cannot be read"),
        ({"weekDays": "monday"}, "cannot be read"),
        ({"monthDays": ["last"]}, "cannot be read"),
        ("daily", "cannot be read"),
        (None, "cannot be read"),
        ({"monthDays": [0]}, "name no day"),
    ],
)
def test_settings_that_name_nothing_are_refused(given_: Any, sentence: str) -> None:
    with pytest.raises(TimingError, match=sentence):
        recurrence.next_occurrence(recurrence.read(given_), at(START), BERLIN)


CONFIGS = st.builds(
    TimedConfig,
    at_time=st.none() | st.sampled_from(["00:00", "02:30", "09:00 AM", "23:59"]),
    week_days=st.lists(st.sampled_from(WEEKDAYS), max_size=3).map(tuple),
    month_days=st.lists(st.integers(1, 31), max_size=3).map(tuple),
    ordinal=st.none() | st.sampled_from(["1", "2", "3", "4", "5", "last"]),
    ordinal_value=st.none() | st.sampled_from(["day", "weekday", "weekend", *WEEKDAYS]),
    monthly_type=st.none() | st.sampled_from(["each", "on"]),
)


@given(
    CONFIGS,
    st.integers(946_684_800, 3_786_912_000).map(lambda second: datetime.fromtimestamp(second, UTC)),
    st.sampled_from([None, "days", "weeks", "months", "hours"]),
    st.integers(1, 6),
    st.sampled_from([BERLIN, ZoneInfo("Australia/Lord_Howe"), ZoneInfo("America/New_York")]),
)
def test_the_next_one_is_always_ahead(
    config: TimedConfig, start: datetime, unit: Unit | None, every: int, zone: ZoneInfo
) -> None:
    found = recurrence.next_occurrence(config, start, zone, unit, every)
    assert found > start
    assert found == recurrence.next_occurrence(config, start, zone, unit, every)
