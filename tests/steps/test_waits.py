from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain import schedules
from tidings.domain.schedules import Schedule
from tidings.steps import waits

NINE_TO_FIVE = {"isEnabled": True, "hours": [{"start": "09:00 AM", "end": "05:00 PM"}]}
WEEK = dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday"), NINE_TO_FIVE)
OFFICE = msgspec.convert({"isEnabled": True, "weeklySchedule": WEEK}, Schedule)
CLOSED = msgspec.convert({"isEnabled": True, "weeklySchedule": {}}, Schedule)
OFF = msgspec.convert({"isEnabled": False, "weeklySchedule": WEEK}, Schedule)
BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(BERLIN))


@pytest.mark.parametrize(
    ("due", "schedule", "critical", "extensions", "expected"),
    [
        ("2026-06-03T20:00", OFFICE, False, 0, "2026-06-04T09:00"),
        ("2026-06-05T20:00", OFFICE, False, 2, "2026-06-08T09:00"),
        ("2026-03-27T20:00", OFFICE, False, 0, "2026-03-30T09:00"),
        ("2026-06-03T10:00", OFFICE, False, 0, None),
        ("2026-06-03T20:00", OFFICE, True, 0, None),
        ("2026-06-03T20:00", OFFICE, False, 3, None),
        ("2026-06-03T20:00", CLOSED, False, 0, None),
        ("2026-06-03T20:00", OFF, False, 0, None),
        ("2026-06-03T20:00", None, False, 0, None),
    ],
)
def test_a_wait_is_drawn_out_to_the_subscribers_hours(
    due: str, schedule: Schedule | None, critical: bool, extensions: int, expected: str | None
) -> None:
    found = waits.extended(at(due), schedule, BERLIN, critical, extensions)
    assert found == (None if expected is None else at(expected))


@given(st.timedeltas(timedelta(0), timedelta(days=400)))
def test_a_wait_that_was_drawn_out_ends_within_the_hours(offset: timedelta) -> None:
    due = at("2026-01-01T00:00") + offset
    found = waits.extended(due, OFFICE, BERLIN, False, 0)
    end = found or due
    assert end >= due
    assert schedules.is_open(OFFICE, end, ZoneInfo(BERLIN))
    assert waits.extended(end, OFFICE, BERLIN, False, 0) is None
