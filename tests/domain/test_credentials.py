from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.credentials import (
    MOST_TOKENS,
    PROVIDER_IDS,
    ChannelEntry,
    replace_entry,
    set_entry,
    without,
)
from tidings.domain.errors import InvalidError

TOKENS = st.lists(st.sampled_from("abcdef"), max_size=5)


def entry(provider_id: str = "fcm", integration_id: str = "i1", **credentials: Any) -> ChannelEntry:
    return ChannelEntry(
        provider_id=provider_id, integration_id=integration_id, credentials=credentials
    )


def test_there_are_nineteen_providers() -> None:
    assert len(PROVIDER_IDS) == 19


def test_entries_are_kept_per_provider_and_integration() -> None:
    entries: list[ChannelEntry] = []
    for each in (entry(), entry(integration_id="i2"), entry("apns")):
        entries = set_entry(entries, each, {"deviceTokens": ["t"]}, unite=False)
    assert [(each.provider_id, each.integration_id) for each in entries] == [
        ("fcm", "i1"),
        ("fcm", "i2"),
        ("apns", "i1"),
    ]


@given(TOKENS, TOKENS)
def test_tokens_are_replaced_or_united_without_duplicates(old: list[str], new: list[str]) -> None:
    before = [entry(deviceTokens=list(dict.fromkeys(old)))]
    replaced = set_entry(before, entry(), {"deviceTokens": list(new)}, unite=False)
    assert replaced[0].credentials["deviceTokens"] == list(dict.fromkeys(new))
    united = set_entry(before, entry(), {"deviceTokens": list(new)}, unite=True)
    expected = list(dict.fromkeys(old + new)) if new else []
    assert united[0].credentials["deviceTokens"] == expected


@pytest.mark.parametrize("unite", [True, False])
def test_what_is_not_given_is_kept_and_null_takes_away(unite: bool) -> None:
    before = [entry(webhookUrl="https://one.example", channel="c", deviceTokens=["t"])]
    (after,) = set_entry(
        before, entry(), {"webhookUrl": "https://two.example", "channel": None}, unite=unite
    )
    assert after.credentials == {"webhookUrl": "https://two.example", "deviceTokens": ["t"]}


def test_replacing_keeps_nothing() -> None:
    (after,) = replace_entry([entry(channel="c", deviceTokens=["t"])], entry(), {"title": "x"})
    assert after.credentials == {"title": "x"}


def test_removing_takes_all_entries_of_the_provider() -> None:
    entries = [entry(), entry(integration_id="i2"), entry("apns")]
    assert without(entries, "fcm") == [entry("apns")]


def test_too_many_tokens_are_refused_also_when_united() -> None:
    before = [entry(deviceTokens=[f"old-{n}" for n in range(MOST_TOKENS)])]
    with pytest.raises(InvalidError) as caught:
        set_entry(before, entry(), {"deviceTokens": ["one more"]}, unite=True)
    assert "credentials.deviceTokens" in caught.value.problems
