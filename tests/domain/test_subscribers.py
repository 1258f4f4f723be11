from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.subscribers import LARGEST_DATA, Profile, once_each, problems


@pytest.mark.parametrize(
    "values",
    [
        {"key": "user-1"},
        {"key": "ada@example.com"},
        {"key": "tenant:42/ü 7"},
        {"key": "x" * 255},
        {"locale": "en"},
        {"locale": "en_US"},
        {"locale": "zh-Hant-TW"},
        {"locale": "es-419"},
        {"timezone": "Europe/Paris"},
        {"timezone": "UTC"},
        {"email": None, "data": None},
        {"data": {"any": ["thing", {"at": "all"}]}},
    ],
)
def test_what_may_be_said(values: dict[str, Any]) -> None:
    assert problems(values) == {}


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("key", "", "empty"),
        ("key", "a\nb", "printable"),
        ("key", "x" * 256, "255"),
        ("first_name", "x" * 256, "255"),
        ("first_name", "a\0b", "NUL"),
        ("email", "ada", "e-mail"),
        ("timezone", "Mars/Olympus", "IANA"),
        ("timezone", "localtime", "IANA"),
        ("locale", "English", "locale"),
        ("avatar", "x" * 2049, "2048"),
        ("data", {"x": "y" * LARGEST_DATA}, "64 kB"),
        ("data", {"x": "\0"}, "NUL"),
    ],
)
def test_what_may_not_be_said(name: str, value: Any, word: str) -> None:
    assert word in problems({name: value})[name]


PROFILES = st.lists(
    st.builds(
        Profile,
        key=st.sampled_from(["a", "B", "ä"]),
        first_name=st.none() | st.sampled_from(["x", "y"]),
        data=st.none() | st.just({"n": 1}),
    )
)


@given(PROFILES)
def test_of_several_profiles_of_a_key_the_last_word_on_each_field_holds(
    profiles: list[Profile],
) -> None:
    merged = once_each(profiles)
    keys = [profile.key for profile in merged]
    assert keys == sorted({profile.key for profile in profiles})
    for profile in merged:
        names = [each.first_name for each in profiles if each.key == profile.key]
        assert profile.first_name == next((name for name in reversed(names) if name), None)
