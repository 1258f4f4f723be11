from hypothesis import given
from hypothesis import strategies as st

from tidings.web.charts import Series, lines, nice_top

values = st.lists(st.none() | st.floats(0, 1e9), min_size=1, max_size=40)


@given(st.floats(1e-6, 1e12))
def test_the_scale_reaches_the_highest_value_and_not_far_beyond(highest: float) -> None:
    top = nice_top(highest)
    assert highest <= top * 1.000001
    assert top <= highest * 2.1


@given(values)
def test_no_point_lies_outside_the_plot(found: list[float | None]) -> None:
    labels = [str(number) for number in range(len(found))]
    drawn = lines("T", [Series(label="a", values=found, color=1)], labels, str)
    for part in drawn.split('points="')[1:]:
        for point in part.split('"')[0].split():
            assert 0 <= float(point.split(",")[1]) <= 100


def test_labels_are_escaped() -> None:
    drawn = lines("<b>", [Series(label="<i>", values=[1], color=1)], ["<u>"], str)
    assert not any(tag in drawn for tag in ("<b>", "<i>", "<u>"))


def test_those_who_do_not_see_it_are_told_the_peak() -> None:
    drawn = lines("Events", [Series(label="In", values=[1, 5, 2], color=1)], ["a", "b", "c"], str)
    assert 'aria-label="Events. In: at most 5, at b."' in drawn
