import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.slugs import is_id, lengthen, shorten, slug, slugify

IDS = st.binary(min_size=12, max_size=12).map(bytes.hex)


@pytest.mark.parametrize(
    ("id", "short"),
    [
        ("6615943e7ace93b0540ae377", "f5VFlcRWmt1PF4uV"),
        ("0615943e7ace93b0540ae377", "2RpdxYpFSPfjWDQ7"),
        ("0015943e7ace93b0540ae377", "026PyJ6ENG5VHmpL"),
    ],
)
def test_short_forms_are_those_of_the_public_clients(id: str, short: str) -> None:
    assert shorten(id) == short
    assert lengthen(short) == id


def test_a_slug_has_the_name_the_kind_and_the_short_id() -> None:
    assert slug("Welcome", "wf", "67bd9c0a2c4d5f0012a3b700") == "welcome_wf_fkpziSfHWbOx6E8O"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("New InApp Step", "new-in-app-step"),
        ("  Hello,  World! ", "hello-world"),
        ("Übergrößen", "bergr-en"),
        ("", ""),
    ],
)
def test_slugify(name: str, expected: str) -> None:
    assert slugify(name) == expected


@given(st.integers(min_value=0, max_value=0x99FFFFFF), st.binary(min_size=8, max_size=8))
def test_every_id_of_our_lifetime_comes_back_from_its_slug(second: int, rest: bytes) -> None:
    id = second.to_bytes(4, "big").hex() + rest.hex()
    if len(shorten(id)) == 16:
        assert lengthen("some-name_wf_" + shorten(id)) == id


@pytest.mark.parametrize("text", ["", "short", "WelcomeWorkflow!"])
def test_text_that_ends_with_no_identifier(text: str) -> None:
    assert lengthen(text) is None


@given(IDS)
def test_recognises_identifiers(id: str) -> None:
    assert is_id(id)
    assert not is_id(id.upper() if id.upper() != id else id[:-1])
