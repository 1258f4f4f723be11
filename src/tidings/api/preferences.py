"""A subscriber's preferences: for everything, and per workflow."""

from typing import Annotated, Literal

import msgspec
from litestar import get, patch
from litestar.params import JSONBody, QueryParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.actions import preferences as actions
from tidings.api.subscribers import ByKey
from tidings.domain.channels import CHANNELS
from tidings.domain.errors import InvalidError
from tidings.domain.preferences import (
    MOST_AT_ONCE,
    Channels,
    Chosen,
    Criticality,
    Merged,
    Workflow,
    of_criticality,
)
from tidings.domain.schedules import Schedule
from tidings.domain.scope import Scope
from tidings.domain.slugs import slug
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.preferences import ChannelsIn, OverrideOut, checked, merged
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.storage import preferences, subscribers
from tidings.storage.database import Connection

_TAGS = ["Subscriber preferences"]


class PreferencesIn(msgspec.Struct, kw_only=True, rename="camel"):
    channels: ChannelsIn | UnsetType = UNSET
    workflow_id: Annotated[
        str | UnsetType | None,
        Meta(description="`_id`, identifier or slug; unset: for all workflows."),
    ] = UNSET
    schedule: Annotated[
        Schedule | UnsetType | None,
        Meta(description="Only for all workflows: when to be reached; null removes it."),
    ] = UNSET


class WorkflowChoiceIn(msgspec.Struct, kw_only=True, rename="camel"):
    workflow_id: str
    channels: ChannelsIn


class BulkPreferencesIn(msgspec.Struct):
    preferences: Annotated[list[WorkflowChoiceIn], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class ChannelsOut(Out, frozen=True, kw_only=True, rename={}):
    email: bool
    sms: bool
    in_app: bool
    chat: bool
    push: bool

    @classmethod
    def of(cls, merged: Merged) -> "ChannelsOut":
        return cls(**{name: each.enabled for name, each in merged.channels.items()})


class GlobalOut(Out, frozen=True, kw_only=True):
    enabled: bool
    channels: ChannelsOut
    schedule: Schedule | UnsetType = UNSET

    @classmethod
    def of(cls, chosen: Chosen) -> "GlobalOut":
        channels = {channel: chosen.channels.get(channel, True) for channel in CHANNELS}
        return cls(
            enabled=True,
            channels=ChannelsOut(**channels),
            schedule=unless_none(chosen.schedule),
        )


class WorkflowOut(Out, frozen=True, kw_only=True):
    slug: str
    identifier: str
    name: str
    updated_at: Timestamp


class WorkflowPreferenceOut(Out, frozen=True, kw_only=True):
    enabled: bool
    channels: ChannelsOut
    overrides: list[OverrideOut]
    workflow: WorkflowOut

    @classmethod
    def of(cls, workflow: Workflow, chosen: Chosen) -> "WorkflowPreferenceOut":
        held = merged(workflow, chosen)
        return cls(
            enabled=held.overall.enabled,
            channels=ChannelsOut.of(held),
            overrides=[OverrideOut.of(held, channel) for channel in CHANNELS],
            workflow=WorkflowOut(
                slug=slug(workflow.name, "wf", workflow.id),
                identifier=workflow.key,
                name=workflow.name,
                updated_at=iso(workflow.updated_at),
            ),
        )


class PreferencesOut(Out, frozen=True, kw_only=True):
    everywhere: GlobalOut = msgspec.field(name="global")
    workflows: list[WorkflowPreferenceOut]


class ChosenWorkflowOut(Out, frozen=True, kw_only=True):
    id: Id
    identifier: str
    name: str
    critical: bool
    tags: list[str]
    severity: str


class ChosenOut(Out, frozen=True, kw_only=True):
    """One workflow's preference as the answer to a change of several."""

    level: Literal["template"]
    enabled: bool
    channels: ChannelsOut
    workflow: ChosenWorkflowOut

    @classmethod
    def of(cls, workflow: Workflow, chosen: Chosen) -> "ChosenOut":
        held = merged(workflow, chosen)
        return cls(
            level="template",
            enabled=held.overall.enabled,
            channels=ChannelsOut.of(held),
            workflow=ChosenWorkflowOut(
                id=workflow.id,
                identifier=workflow.key,
                name=workflow.name,
                critical=held.critical,
                tags=workflow.tags,
                severity=workflow.severity,
            ),
        )


@patch(
    "/v2/subscribers/{subscriberId:str}/preferences",
    tags=_TAGS,
    summary="Update subscriber preferences",
)
async def update_preferences(
    key: ByKey, data: JSONBody[PreferencesIn], tx: Tx, caller: ByCaller, world: InWorld
) -> PreferencesOut:
    """Changes the channels given: for one workflow, or for all. A choice for all of them clears
    the same channel from the choices for single workflows."""
    schedule = _schedule(data)
    channels = _channels(data)
    if data.workflow_id:
        choice = ("workflowId", data.workflow_id, channels)
        id, _ = await actions.choose_for_workflows(tx, caller.scope, world, key, [choice])
    else:
        id = await actions.choose_everywhere(tx, caller.scope, world, key, channels, schedule)
    return await _preferences(tx, caller.scope, id, "nonCritical")


@get(
    "/v2/subscribers/{subscriberId:str}/preferences",
    tags=_TAGS,
    summary="Read subscriber preferences",
)
async def get_preferences(
    key: ByKey,
    conn: Conn,
    caller: ByCaller,
    criticality: Annotated[
        Criticality, QueryParameter(description="Which workflows to show.")
    ] = "nonCritical",
) -> PreferencesOut:
    """All five channels, globally and for every active workflow, and where each value is from."""
    id = await subscribers.id_of(conn, caller.scope, key)
    return await _preferences(conn, caller.scope, id, criticality)


@patch(
    "/v2/subscribers/{subscriberId:str}/preferences/bulk",
    tags=_TAGS,
    summary="Update many workflow preferences",
)
async def update_many_preferences(
    key: ByKey, data: JSONBody[BulkPreferencesIn], tx: Tx, caller: ByCaller, world: InWorld
) -> list[ChosenOut]:
    """Up to 100 workflows at once, all or none."""
    choices = [
        (f"preferences.{index}.workflowId", each.workflow_id, each.channels.chosen())
        for index, each in enumerate(data.preferences)
    ]
    id, workflows = await actions.choose_for_workflows(tx, caller.scope, world, key, choices)
    chosen = await preferences.chosen(tx, caller.scope, id)
    return [ChosenOut.of(each, chosen) for each in workflows]


async def _preferences(
    connection: Connection, scope: Scope, id: str, criticality: Criticality
) -> PreferencesOut:
    chosen = await preferences.chosen(connection, scope, id)
    workflows = of_criticality(await preferences.workflows(connection, scope), criticality)
    return PreferencesOut(
        everywhere=GlobalOut.of(chosen),
        workflows=[WorkflowPreferenceOut.of(each, chosen) for each in workflows],
    )


def _channels(data: PreferencesIn) -> Channels:
    """A schedule may come alone; otherwise a change of preferences names channels."""
    if data.channels is not UNSET:
        return data.channels.chosen()
    if data.schedule is UNSET or data.workflow_id:
        raise InvalidError.of("channels", "is required")
    return {}


def _schedule(data: PreferencesIn) -> Schedule | UnsetType | None:
    if data.schedule is UNSET or data.schedule is None:
        return data.schedule
    if data.workflow_id:
        raise InvalidError.of("schedule", "holds for all workflows; send it without workflowId")
    return checked(data.schedule)


HANDLERS = [update_preferences, get_preferences, update_many_preferences]
