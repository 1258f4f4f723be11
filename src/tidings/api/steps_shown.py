"""Workflow steps and workflows as messages and notifications embed them."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType, field

from tidings.domain.channels import CHANNELS
from tidings.domain.workflows import Definition, Step, Workflow
from tidings.hall.wire import Id, Out


class VariableOut(Out, frozen=True, kw_only=True):
    name: str


class TriggerShapeOut(Out, frozen=True, kw_only=True):
    type: Literal["event"]
    identifier: str
    variables: list[VariableOut]
    subscriber_variables: list[VariableOut]


class ShownStepOut(Out, frozen=True, kw_only=True):
    """A step as it was when it ran."""

    id: Id = field(name="_id")
    uuid: str | UnsetType = UNSET
    template_id: Id = field(name="_templateId")
    name: str | UnsetType = UNSET
    active: bool
    should_stop_on_fail: bool | UnsetType = UNSET
    filters: list[dict[str, Any]]
    template: dict[str, Any] | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    control_variables: dict[str, Any] | UnsetType = UNSET


class MessageWorkflowOut(Out, frozen=True, kw_only=True):
    """The workflow of a message as it is now."""

    id: Id = field(name="_id")
    name: str
    description: str
    active: bool
    draft: bool
    critical: bool
    preference_settings: dict[str, bool]
    tags: list[str]
    steps: list[ShownStepOut]
    organization_id: Id = field(name="_organizationId")
    creator_id: str = field(name="_creatorId")
    environment_id: Id = field(name="_environmentId")
    notification_group_id: str = field(name="_notificationGroupId")
    triggers: list[TriggerShapeOut]
    deleted: bool
    deleted_at: str
    deleted_by: str

    @classmethod
    def of(cls, workflow: Workflow) -> "MessageWorkflowOut":
        preference = (workflow.preferences.user or workflow.preferences.default).filled()
        return cls(
            id=workflow.id,
            name=workflow.name,
            description=workflow.description,
            active=workflow.active,
            draft=False,
            critical=workflow.preferences.critical,
            preference_settings={
                channel: preference.channels[channel].enabled for channel in CHANNELS
            },
            tags=workflow.tags,
            steps=[step_of(step) for step in workflow.steps],
            organization_id=workflow.scope.organization_id,
            creator_id="",
            environment_id=workflow.scope.environment_id,
            notification_group_id="",
            triggers=[trigger_of(workflow.key, workflow)],
            deleted=False,
            deleted_at="",
            deleted_by="",
        )


def step_of(step: Step) -> ShownStepOut:
    return ShownStepOut(
        id=step.id,
        uuid=step.id,
        template_id=step.id,
        name=step.name,
        active=True,
        should_stop_on_fail=False,
        filters=[],
        template=_template(step),
        metadata=_metadata(step) or UNSET,
        control_variables=step.controls,
    )


def unknown_step(id: str) -> ShownStepOut:
    """A step of a version that is no longer kept."""
    return ShownStepOut(id=id, template_id=id, active=True, filters=[])


def trigger_of(key: str, definition: Definition | None) -> TriggerShapeOut:
    schema = (definition and definition.payload_schema) or {}
    properties = schema.get("properties")
    names = properties if isinstance(properties, Mapping) else ()
    return TriggerShapeOut(
        type="event",
        identifier=key,
        variables=[VariableOut(name=name) for name in names],
        subscriber_variables=[],
    )


def _template(step: Step) -> dict[str, Any]:
    controls = step.controls
    shown = {
        "type": step.type,
        "name": step.name,
        "subject": controls.get("subject"),
        "title": controls.get("subject") if step.type == "push" else None,
        "content": controls.get("body"),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _metadata(step: Step) -> dict[str, Any]:
    """The waits of a step in the words of the interface; what those have no words for is in its
    control values alone."""
    controls = step.controls
    if step.type == "digest":
        back = controls.get("lookBackWindow")
        kind = "timed" if controls.get("cron") else "backoff" if back else "regular"
        found = {"type": kind, "digestKey": controls.get("digestKey"), **_wait(controls)}
        if kind == "backoff" and isinstance(back, Mapping):
            found |= {
                "backoff": True,
                "backoffAmount": back.get("amount"),
                "backoffUnit": back.get("unit"),
            }
        return {name: value for name, value in found.items() if value is not None}
    if step.type == "delay" and controls.get("dynamicKey"):
        return {"type": "scheduled", "delayPath": controls["dynamicKey"]}
    if step.type == "delay" and _wait(controls):
        return {"type": "regular", **_wait(controls)}
    return {}


def _wait(controls: Mapping[str, Any]) -> dict[str, Any]:
    amount, unit = controls.get("amount"), controls.get("unit")
    return {} if amount is None or unit is None else {"amount": amount, "unit": unit}
