import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.web import steps_marks
from tidings.web.steps_marks import CannotSayError

_MARKS = st.lists(
    st.sampled_from(["bold", "italic", "underline", "strike"]), unique=True, max_size=3
)
_PIECES = st.text(st.sampled_from("ab *_~[]()\\`{}"), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello {{ subscriber.firstName }}", [("Hello {{ subscriber.firstName }}", [])]),
        ("a **b** c", [("a ", []), ("b", ["bold"]), (" c", [])]),
        ("**a *b***", [("a ", ["bold"]), ("b", ["bold", "italic"])]),
        ("2 * 3 * 4 = 24", [("2 * 3 * 4 = 24", [])]),
        ("*{{ payload.a*b }}*", [("{{ payload.a*b }}", ["italic"])]),
        ("`x*y*`", [("x*y*", ["code"])]),
        (r"\*no\*", [("*no*", [])]),
        ("[here]({{ payload.url }})", [("here", ["link"])]),
    ],
)
def test_signs_become_marks(text: str, shown: list[tuple[str, list[str]]]) -> None:
    found = steps_marks.nodes(text)
    assert [(n["text"], [m["type"] for m in n.get("marks", [])]) for n in found] == shown
    assert steps_marks.nodes(steps_marks.text(found)) == found


@given(st.lists(st.tuples(_PIECES, _MARKS), max_size=5))
def test_what_was_read_is_written_the_same(pieces: list[tuple[str, list[str]]]) -> None:
    content = [{"type": "text", "text": t, "marks": [{"type": m} for m in ms]} for t, ms in pieces]
    try:
        once = steps_marks.text(content)
    except CannotSayError:
        return
    plain = "".join(n.get("text", "") for n in steps_marks.nodes(once))
    assert plain == "".join(t for t, _ in pieces)


def test_what_has_no_words_is_not_said() -> None:
    with pytest.raises(CannotSayError):
        steps_marks.text([{"type": "text", "text": "a", "marks": [{"type": "highlight"}]}])
    with pytest.raises(CannotSayError):
        steps_marks.text([{"type": "inlineImage"}])
