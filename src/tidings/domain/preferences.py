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
from msgspec import UNSET, UnsetType

from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.schedules import Schedule

Layer = Literal["workflow_default", "workflow_user", "subscriber_global", "subscriber_workflow"]
Criticality = Literal["critical", "nonCritical", "all"]
Channels = dict[Channel, bool]
"""What a subscriber chose; channels that were not chosen about are missing."""

MOST_AT_ONCE = 100


class Overall(msgspec.Struct, frozen=True, rename="camel"):
    enabled: bool | UnsetType = UNSET
    read_only: bool = False


class Switch(msgspec.Struct, frozen=True):
    enabled: bool | UnsetType = UNSET


class WorkflowLayer(msgspec.Struct, frozen=True):
    """One layer of a workflow; a channel it does not name follows `all`."""

    all: Overall = Overall()
    channels: dict[Channel, Switch] = {}


class WorkflowPreferences(msgspec.Struct, frozen=True):
    """Both layers, as they are stored with the workflow."""

    default: WorkflowLayer = WorkflowLayer()
    user: WorkflowLayer | None = None


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
    preferences: WorkflowPreferences
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


def merge(workflow: WorkflowPreferences, everywhere: Channels, here: Channels) -> Merged:
    """What holds when the subscriber chose `everywhere` and, for this workflow, `here`."""
    overall = Decision(True, "workflow_default")
    channels = dict.fromkeys(CHANNELS, overall)
    for layer, said in _workflow_layers(workflow):
        if said.all.enabled is not UNSET:
            overall = Decision(said.all.enabled, layer)
        channels = _over(channels, layer, _spread(said))
    critical = is_critical(workflow)
    if not critical:
        channels = _over(channels, "subscriber_global", everywhere)
        channels = _over(channels, "subscriber_workflow", here)
    return Merged(overall=overall, channels=channels, critical=critical)


def is_critical(workflow: WorkflowPreferences) -> bool:
    return any(said.all.read_only for _, said in _workflow_layers(workflow))


def of_criticality(workflows: Iterable[Workflow], wanted: Criticality) -> list[Workflow]:
    return [
        each
        for each in workflows
        if wanted == "all" or is_critical(each.preferences) == (wanted == "critical")
    ]


def _workflow_layers(workflow: WorkflowPreferences) -> list[tuple[Layer, WorkflowLayer]]:
    layers: list[tuple[Layer, WorkflowLayer]] = [("workflow_default", workflow.default)]
    if workflow.user is not None:
        layers.append(("workflow_user", workflow.user))
    return layers


def _spread(said: WorkflowLayer) -> Channels:
    spread: Channels = {}
    for channel in CHANNELS:
        switch = said.channels.get(channel)
        own = UNSET if switch is None else switch.enabled
        value = said.all.enabled if own is UNSET else own
        if value is not UNSET:
            spread[channel] = value
    return spread


def _over(
    below: Mapping[Channel, Decision], layer: Layer, said: Mapping[Channel, bool]
) -> dict[Channel, Decision]:
    return {**below, **{channel: Decision(value, layer) for channel, value in said.items()}}
