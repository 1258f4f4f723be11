"""The subscriber's own preferences: for everything, with the hours to be reached in, and per
workflow. Only channels that a workflow has steps for are shown."""

from collections.abc import Collection
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, get, patch
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.actions import preferences as actions
from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.preferences import (
    MOST_AT_ONCE,
    Chosen,
    Criticality,
    Workflow,
    of_criticality,
)
from tidings.domain.schedules import Schedule
from tidings.domain.scope import Scope
from tidings.hall.given import Conn, InWorld, Tx
from tidings.hall.pages import several
from tidings.hall.preferences import ChannelsIn, OverrideOut, checked, merged
from tidings.hall.wire import Id, Out, unless_none
from tidings.inbox.auth import ByVisitor
from tidings.storage import preferences
from tidings.storage.database import Connection


class GlobalIn(ChannelsIn, kw_only=True):
    schedule: Annotated[
        Schedule | UnsetType | None, Meta(description="When to be reached; null removes it.")
    ] = UNSET


class WorkflowIn(ChannelsIn, kw_only=True):
    workflow_id: str = msgspec.field(name="workflowId")


class BulkIn(msgspec.Struct):
    preferences: list[WorkflowIn]


class WorkflowOut(Out, frozen=True, kw_only=True):
    id: Id
    identifier: str
    name: str
    critical: bool
    tags: list[str]
    severity: str

    @classmethod
    def of(cls, workflow: Workflow) -> "WorkflowOut":
        return cls(
            id=workflow.id,
            identifier=workflow.key,
            name=workflow.name,
            critical=workflow.preferences.critical,
            tags=workflow.tags,
            severity=workflow.severity,
        )


class PreferenceOut(Out, frozen=True, kw_only=True):
    level: Literal["global", "template"]
    enabled: bool
    channels: dict[Channel, bool]
    overrides: list[OverrideOut]
    workflow: WorkflowOut | UnsetType = UNSET
    schedule: Schedule | UnsetType = UNSET

    @classmethod
    def everywhere(cls, chosen: Chosen, shown: Collection[Channel]) -> "PreferenceOut":
        return cls(
            level="global",
            enabled=True,
            channels={each: chosen.channels.get(each, True) for each in CHANNELS if each in shown},
            overrides=[],
            schedule=unless_none(chosen.schedule),
        )

    @classmethod
    def of(cls, workflow: Workflow, chosen: Chosen, steps: Collection[Channel]) -> "PreferenceOut":
        held = merged(workflow, chosen)
        shown = [channel for channel in CHANNELS if channel in steps]
        return cls(
            level="template",
            enabled=held.overall.enabled,
            channels={channel: held.channels[channel].enabled for channel in shown},
            overrides=[OverrideOut.of(held, channel) for channel in shown],
            workflow=WorkflowOut.of(workflow),
        )


@get("/preferences", summary="List preferences")
async def list_inbox_preferences(
    request: Request[Any, Any, Any],
    conn: Conn,
    visitor: ByVisitor,
    tags: Annotated[list[str] | None, QueryParameter(description="One of these.")] = None,
    severity: Annotated[list[str] | None, QueryParameter(description="One of these.")] = None,
    criticality: Annotated[Criticality, QueryParameter()] = "nonCritical",
) -> list[PreferenceOut]:
    """The one for everything first, then one for every active workflow."""
    wanted_tags, wanted_severities = several(request, "tags"), several(request, "severity")
    chosen = await preferences.chosen(conn, visitor.scope, visitor.subscriber_id)
    steps = await preferences.step_channels(conn, visitor.scope)
    active = of_criticality(await preferences.workflows(conn, visitor.scope), criticality)
    return [
        PreferenceOut.everywhere(chosen, _all(steps)),
        *(
            PreferenceOut.of(each, chosen, steps.get(each.id, ()))
            for each in active
            if (wanted_tags is None or set(wanted_tags) & set(each.tags))
            and (wanted_severities is None or each.severity in wanted_severities)
        ),
    ]


@get("/preferences/global", summary="Read the preference for everything")
async def get_inbox_global_preference(conn: Conn, visitor: ByVisitor) -> PreferenceOut:
    return await _everywhere(conn, visitor.scope, visitor.subscriber_id)


@patch("/preferences", summary="Change the preference for everything")
async def update_inbox_preferences(
    data: JSONBody[GlobalIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> PreferenceOut:
    """Clears the same channels from the preferences of single workflows."""
    schedule = checked(data.schedule) if isinstance(data.schedule, Schedule) else data.schedule
    if not data.chosen() and schedule is UNSET:
        raise InvalidError.of("channels", "name at least one channel, or send a schedule")
    await actions.choose_everywhere(
        tx, visitor.scope, world, visitor.subscriber_key, data.chosen(), schedule
    )
    return await _everywhere(tx, visitor.scope, visitor.subscriber_id)


@patch("/preferences/bulk", summary="Change the preferences of many workflows")
async def update_many_inbox_preferences(
    data: JSONBody[BulkIn], tx: Tx, visitor: ByVisitor, world: InWorld
) -> list[PreferenceOut]:
    """Up to 100 at once, all or none."""
    if not data.preferences:
        raise RefusedError("Name at least one workflow.")
    if len(data.preferences) > MOST_AT_ONCE:
        raise InvalidError.of(
            "preferences", f"must have at most {MOST_AT_ONCE} items", len(data.preferences)
        )
    choices = [
        (f"preferences.{index}.workflowId", each.workflow_id, each.chosen())
        for index, each in enumerate(data.preferences)
    ]
    _, workflows = await actions.choose_for_workflows(
        tx, visitor.scope, world, visitor.subscriber_key, choices
    )
    return await _of(tx, visitor.scope, visitor.subscriber_id, workflows)


@patch("/preferences/{workflowId:str}", summary="Change the preference of a workflow")
async def update_inbox_workflow_preference(
    workflow_id: Annotated[str, PathParameter(name="workflowId")],
    data: JSONBody[ChannelsIn],
    tx: Tx,
    visitor: ByVisitor,
    world: InWorld,
) -> PreferenceOut:
    choice = ("workflowId", workflow_id, data.chosen())
    _, workflows = await actions.choose_for_workflows(
        tx, visitor.scope, world, visitor.subscriber_key, [choice]
    )
    (shown,) = await _of(tx, visitor.scope, visitor.subscriber_id, workflows)
    return shown


async def _everywhere(conn: Connection, scope: Scope, subscriber_id: str) -> PreferenceOut:
    chosen = await preferences.chosen(conn, scope, subscriber_id)
    return PreferenceOut.everywhere(chosen, _all(await preferences.step_channels(conn, scope)))


async def _of(
    conn: Connection, scope: Scope, subscriber_id: str, workflows: list[Workflow]
) -> list[PreferenceOut]:
    chosen = await preferences.chosen(conn, scope, subscriber_id)
    steps = await preferences.step_channels(conn, scope)
    return [PreferenceOut.of(each, chosen, steps.get(each.id, ())) for each in workflows]


def _all(steps: dict[str, frozenset[Channel]]) -> frozenset[Channel]:
    return frozenset[Channel]().union(*steps.values())


HANDLERS = [
    list_inbox_preferences,
    get_inbox_global_preference,
    update_inbox_preferences,
    update_many_inbox_preferences,
    update_inbox_workflow_preference,
]
