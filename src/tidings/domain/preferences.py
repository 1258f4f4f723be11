"""Preferences: which channels may be used, decided from four layers, each over the one before.

    workflow_default     what the workflow was made with
    workflow_user        what an operator set for the workflow
    subscriber_global    what the subscriber chose for everything
    subscriber_workflow  what the subscriber chose for this workflow

A workflow that is read-only in either of its layers is critical: the subscriber's layers are not
asked.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.schedules import Schedule
from tidings.domain.workflows import Preference, Preferences

Layer = Literal["workflow_default", "workflow_user", "subscriber_global", "subscriber_workflow"]
Criticality = Literal["critical", "nonCritical", "all"]
Channels = dict[Channel, bool]
"""What a subscriber chose; channels that were not chosen about are missing."""

MOST_AT_ONCE = 100


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one subscriber chose."""

    channels: Channels
    schedule: Schedule | None
    workflows: dict[str, Channels]
    """By the workflow's id."""


class Workflow(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a workflow as preferences need."""

    id: str
    key: str
    name: str
    tags: list[str]
    severity: str
    preferences: Preferences
    updated_at: datetime


class Decision(msgspec.Struct, frozen=True):
    """A value and the layer it comes from."""

    enabled: bool
    layer: Layer


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for one subscriber and one workflow, and why."""

    overall: Decision
    """The workflow as a whole; when off, no channel is used."""
    channels: dict[Channel, Decision]
    critical: bool

    def deciding(self, channel: Channel) -> Decision:
        """Whether that channel may be used, and which layer says so."""
        own = self.channels[channel]
        return own if self.overall.enabled else self.overall


def merge(workflow: Preferences, everywhere: Channels, here: Channels) -> Merged:
    """What holds when the subscriber chose `everywhere` and, for this workflow, `here`."""
    said, layer = _of_workflow(workflow)
    overall = Decision(said.all.enabled, layer)
    switches = said.filled().channels
    channels = {name: Decision(switch.enabled, layer) for name, switch in switches.items()}
    if not workflow.critical:
        channels = _over(channels, "subscriber_global", everywhere)
        channels = _over(channels, "subscriber_workflow", here)
    return Merged(overall=overall, channels=channels, critical=workflow.critical)


def of_criticality(workflows: Iterable[Workflow], wanted: Criticality) -> list[Workflow]:
    return [
        each
        for each in workflows
        if wanted == "all" or each.preferences.critical == (wanted == "critical")
    ]


def _of_workflow(workflow: Preferences) -> tuple[Preference, Layer]:
    """The workflow's own word: an operator's layer says everything that the default does."""
    if workflow.user is None:
        return workflow.default, "workflow_default"
    return workflow.user, "workflow_user"


def _over(
    below: Mapping[Channel, Decision], layer: Layer, said: Mapping[Channel, bool]
) -> dict[Channel, Decision]:
    return {**below, **{channel: Decision(value, layer) for channel, value in said.items()}}
