from hypothesis import given
from hypothesis import strategies as st

from tidings.domain.channels import CHANNELS
from tidings.domain.preferences import Channels, merge
from tidings.domain.workflows import All, Enabled, Preference, Preferences

CHOICES = st.dictionaries(st.sampled_from(CHANNELS), st.booleans())
LAYERS = st.builds(
    Preference,
    all=st.builds(All, enabled=st.booleans(), read_only=st.booleans()),
    channels=st.dictionaries(st.sampled_from(CHANNELS), st.builds(Enabled, enabled=st.booleans())),
)
WORKFLOWS = st.builds(Preferences, default=LAYERS, user=st.none() | LAYERS)


@given(WORKFLOWS, CHOICES, CHOICES)
def test_every_channel_is_decided_by_the_last_layer_that_speaks_of_it(
    workflow: Preferences, everywhere: Channels, here: Channels
) -> None:
    merged = merge(workflow, everywhere, here)
    for channel in CHANNELS:
        spoken = [("workflow_default", workflow.default), ("workflow_user", workflow.user)]
        said: list[tuple[str, object]] = [("workflow_default", True)]
        for layer, words in spoken:
            if words is not None:
                switch = words.channels.get(channel)
                said.append((layer, switch.enabled if switch else words.all.enabled))
        if not workflow.critical:
            said.append(("subscriber_global", everywhere.get(channel)))
            said.append(("subscriber_workflow", here.get(channel)))
        layer, value = [each for each in said if isinstance(each[1], bool)][-1]
        assert (merged.channels[channel].layer, merged.channels[channel].enabled) == (layer, value)


@given(WORKFLOWS, CHOICES, CHOICES, CHOICES, CHOICES)
def test_a_critical_workflow_does_not_ask_the_subscriber(
    workflow: Preferences, one: Channels, two: Channels, three: Channels, four: Channels
) -> None:
    if workflow.critical:
        assert merge(workflow, one, two) == merge(workflow, three, four)


@given(WORKFLOWS, CHOICES, CHOICES)
def test_no_channel_is_used_when_the_workflow_is_off(
    workflow: Preferences, everywhere: Channels, here: Channels
) -> None:
    merged = merge(workflow, everywhere, here)
    for channel in CHANNELS:
        deciding = merged.deciding(channel)
        assert deciding.enabled == (merged.overall.enabled and merged.channels[channel].enabled)
        if not merged.overall.enabled:
            assert deciding == merged.overall


def test_without_any_word_everything_is_on() -> None:
    merged = merge(Preferences(), {}, {})
    assert {decision.enabled for decision in merged.channels.values()} == {True}
    assert not merged.critical


def test_a_subscriber_can_switch_a_channel_back_on() -> None:
    off = Preferences(default=Preference(channels={"sms": Enabled(enabled=False)}))
    decision = merge(off, {}, {"sms": True}).channels["sms"]
    assert (decision.enabled, decision.layer) == (True, "subscriber_workflow")
