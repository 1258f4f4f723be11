import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tidings.clock import ManualClock
from tidings.domain.slugs import is_id
from tidings.ids import Ids


def test_an_id_begins_with_the_second_it_was_made_in() -> None:
    clock = ManualClock(datetime(2026, 11, 15, tzinfo=UTC))
    id = Ids(clock).new()
    assert is_id(id)
    assert int(id[:8], 16) == int(clock.now().timestamp())


@given(st.lists(st.integers(min_value=0, max_value=10**6), max_size=50))
def test_ids_ascend_however_the_clock_moves_on(steps: list[int]) -> None:
    clock = ManualClock()
    ids = Ids(clock)
    made = []
    for step in steps:
        clock.advance(timedelta(microseconds=step))
        made.append(ids.new())
    assert made == sorted(set(made))


def test_ids_ascend_even_when_the_clock_is_set_back() -> None:
    clock = ManualClock()
    ids = Ids(clock)
    first = ids.new()
    clock.advance(timedelta(hours=-1))
    assert ids.new() > first


def test_a_key_has_256_bits_and_a_recognisable_form() -> None:
    ids = Ids(ManualClock())
    assert re.fullmatch(r"tdg_[0-9A-Za-z]{43}", ids.api_key())
    assert ids.api_key() != ids.api_key()
    low = Ids(ManualClock(), random_bytes=bytes)
    assert low.api_key() == "tdg_" + "0" * 43
