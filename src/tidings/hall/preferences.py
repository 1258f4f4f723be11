"""The shapes of preferences that doors share."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.preferences import Channels, Chosen, Layer, Merged, Workflow, merge
from tidings.domain.schedules import Schedule, normal
from tidings.hall.wire import Out

Source = Literal["subscriber", "template", "workflowOverride"]
_SOURCES: dict[Layer, Source] = {
    "workflow_default": "template",
    "workflow_user": "workflowOverride",
    "subscriber_global": "subscriber",
    "subscriber_workflow": "subscriber",
}


class ChannelsIn(msgspec.Struct):
    """Channels that are not named stay as they are."""

    email: bool | UnsetType = UNSET
    sms: bool | UnsetType = UNSET
    in_app: bool | UnsetType = UNSET
    chat: bool | UnsetType = UNSET
    push: bool | UnsetType = UNSET

    def chosen(self) -> Channels:
        given = {channel: getattr(self, channel) for channel in CHANNELS}
        return {channel: value for channel, value in given.items() if value is not UNSET}


class OverrideOut(Out, frozen=True, kw_only=True):
    channel: Channel
    source: Source

    @classmethod
    def of(cls, merged: Merged, channel: Channel) -> "OverrideOut":
        return cls(channel=channel, source=_SOURCES[merged.channels[channel].layer])


def merged(workflow: Workflow, chosen: Chosen) -> Merged:
    return merge(workflow.preferences, chosen.channels, chosen.workflows.get(workflow.id, {}))


def checked(schedule: Schedule) -> Schedule:
    """With its times as they are kept; refuses what is no schedule."""
    tidy, problems = normal(schedule)
    if problems:
        raise InvalidError({f"schedule.{path}": Problem([text]) for path, text in problems.items()})
    return tidy
