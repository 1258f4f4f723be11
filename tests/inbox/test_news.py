from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.inbox import news

moments = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(moments)
def test_a_mark_is_read_to_the_millisecond(moment: datetime) -> None:
    read = news.moment_of(news.mark(moment))
    assert read is not None
    assert timedelta(0) <= moment - read < timedelta(milliseconds=1)


@pytest.mark.parametrize("mark", ["", "nonsense", "-1", "9" * 40, "1e9", "٣", "1 ", "9" * 15])
def test_anything_else_is_no_mark(mark: str) -> None:
    assert news.moment_of(mark) is None


@given(st.text())
def test_no_text_is_too_odd_for_a_mark(text: str) -> None:
    news.moment_of(text)
