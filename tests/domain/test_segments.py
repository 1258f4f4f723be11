import pytest

from tidings.domain.segments import segments


@pytest.mark.parametrize(
    ("text", "encoding", "units", "count", "left"),
    [
        ("", "GSM-7", 0, 0, 160),
        ("a" * 160, "GSM-7", 160, 1, 0),
        ("a" * 161, "GSM-7", 161, 2, 145),
        ("a" * 307, "GSM-7", 307, 3, 152),
        ("€" * 80, "GSM-7", 160, 1, 0),
        ("a" * 152 + "€" + "a" * 10, "GSM-7", 164, 2, 141),
        ("ж" * 70, "UCS-2", 70, 1, 0),
        ("ж" * 71, "UCS-2", 71, 2, 63),
        ("😀" * 35, "UCS-2", 70, 1, 0),
        ("😀" * 36, "UCS-2", 72, 2, 61),
    ],
)
def test_a_text_takes_so_many_messages(
    text: str, encoding: str, units: int, count: int, left: int
) -> None:
    found = segments(text)
    assert (found.encoding, found.units, found.count, found.left) == (encoding, units, count, left)


def test_the_character_that_makes_it_dear_is_named() -> None:
    assert segments("Here ✓ now").rare == "✓"
