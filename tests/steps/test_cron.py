from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.steps import cron

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")


@pytest.mark.parametrize(
    ("zone", "expression", "start", "expected"),
    [
        (BERLIN, "0 9 * * *", "2026-06-01T08:59:59", ["2026-06-01T09:00+02:00"]),
        (BERLIN, "0 9 * * *", "2026-06-01T09:00", ["2026-06-02T09:00+02:00"]),
        (BERLIN, "0 9 * * 1-5", "2026-06-05T10:00", ["2026-06-08T09:00+02:00"]),
        (BERLIN, "0 0 29 2 *", "2026-01-01T00:00", ["2028-02-29T00:00+01:00"]),
        (BERLIN, "0 9 L * *", "2026-02-01T00:00", ["2026-02-28T09:00+01:00"]),
        (BERLIN, "0 9 * * 7", "2026-06-01T08:00", ["2026-06-07T09:00+02:00"]),
        # Nine o'clock stays nine o'clock.
        (BERLIN, "0 9 * * *", "2026-03-28T09:00", ["2026-03-29T09:00+02:00"]),
        (BERLIN, "0 9 * * *", "2026-10-24T09:00", ["2026-10-25T09:00+01:00"]),
        # Passed over: at the change, and once.
        (BERLIN, "30 2 * * *", "2026-03-28T03:00",
         ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
        (BERLIN, "*/15 2 * * *", "2026-03-28T03:00",
         ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"]),
        (NEW_YORK, "30 2 * * *", "2026-03-07T03:00",
         ["2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"]),
        (LORD_HOWE, "15 2 * * *", "2026-10-03T03:00",
         ["2026-10-04T02:30+11:00", "2026-10-05T02:15+11:00"]),
        # Shown twice: the first time.
        (BERLIN, "30 2 * * *", "2026-10-24T03:00",
         ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31T03:00",
         ["2026-11-01T01:30-04:00", "2026-11-02T01:30-05:00"]),
        (LORD_HOWE, "45 1 * * *", "2026-04-04T03:00",
         ["2026-04-05T01:45+11:00", "2026-04-06T01:45+10:30"]),
        # Every hour goes on every hour.
        (BERLIN, "0 * * * *", "2026-10-25T01:30",
         ["2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00"]),
        (BERLIN, "30 * * * *", "2026-03-29T01:00",
         ["2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00"]),
        (LORD_HOWE, "*/15 * * * *", "2026-04-05T01:30",
         ["2026-04-05T01:45+11:00", "2026-04-05T01:30+10:30", "2026-04-05T01:45+10:30"]),
    ],
)  # fmt: skip
def test_the_next_times_are_those_people_expect(
    zone: ZoneInfo, expression: str, start: str, expected: list[str]
) -> None:
    moment = datetime.fromisoformat(start).replace(tzinfo=zone)
    for each in expected:
        found = cron.next_after(expression, moment, zone)
        assert found == datetime.fromisoformat(each)
        moment = found


def test_a_start_in_the_second_of_two_hours_does_not_lead_back() -> None:
    start = datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=BERLIN)
    found = cron.next_after("30 2 * * *", start, BERLIN)
    assert found == datetime(2026, 10, 26, 2, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("* * * * * *", "once a minute is the most"),
        ("0/5 * * * * *", "once a minute is the most"),
        ("", "it has 0"),
        ("0 9 * *", "it has 4"),
        ("61 * * * *", "Bad minute"),
        ("0 0 30 2 *", "Bad day-of-month"),
        ("0 0 * 2 MON#5,XXX", "Bad day-of-week"),
        ("0 0 * * 1#2/3", "five fields"),
        ("9" * 5000 + " * * * *", "five fields"),
        ("* " * 5000, "five fields"),
        (None, "five fields"),
        (5, "five fields"),
        ({}, "five fields"),
    ],
)
def test_what_is_no_cron_expression_is_refused_with_its_reason(
    expression: Any, reason: str
) -> None:
    problem = cron.problem(expression)
    assert problem is not None
    assert reason in problem
    assert cron.next_after(expression, datetime(2026, 1, 1, tzinfo=UTC), BERLIN) is None


FIELD = st.text("0123456789*/-,L#WMONFEB?", min_size=1, max_size=6)


@given(st.text(max_size=30) | st.lists(FIELD, min_size=4, max_size=6).map(" ".join))
def test_garbage_never_raises(expression: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    found = cron.next_after(expression, start, BERLIN)
    assert found is None or found > start
    if cron.problem(expression) is None:
        assert cron.longest_gap(expression) > timedelta(0)


MINUTES = st.integers(0, 59).map(str) | st.sampled_from(["*", "*/15", "0,30"])
HOURS = st.integers(0, 3).map(str) | st.sampled_from(["*", "*/2", "1-3"])
DAYS = st.sampled_from(["*", "1-7", "L", "31"])
CHANGES = [
    datetime(2026, 3, 29, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 3, 8, 7, tzinfo=UTC),
    datetime(2026, 11, 1, 6, tzinfo=UTC),
    datetime(2026, 4, 4, 15, tzinfo=UTC),
    datetime(2026, 10, 3, 15, 30, tzinfo=UTC),
]


@given(
    st.builds("{} {} {} * *".format, MINUTES, HOURS, DAYS),
    st.sampled_from(CHANGES),
    st.timedeltas(timedelta(hours=-30), timedelta(hours=30)),
    st.sampled_from([BERLIN, NEW_YORK, LORD_HOWE]),
)
def test_the_next_time_is_ahead_alone_and_the_same_when_asked_again(
    expression: str, change: datetime, offset: timedelta, zone: ZoneInfo
) -> None:
    start = change + offset
    found = cron.next_after(expression, start, zone)
    assert found is not None
    assert found > start
    assert found == cron.next_after(expression, start, zone)
    between = start + (found - start) / 2
    assert cron.next_after(expression, between, zone) == found
