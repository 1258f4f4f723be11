"""Workflows and steps as they are sent and answered."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from tidings.actions import checking
from tidings.dialect import Dialect
from tidings.domain import schemas, variables
from tidings.domain.channels import CHANNELS
from tidings.domain.drafts import Draft, StepDraft
from tidings.domain.issues import (
    Connections,
    ContentIssueType,
    ControlIssues,
    IntegrationIssueType,
    integration_issue,
)
from tidings.domain.workflows import (
    Definition,
    Preference,
    Preferences,
    Severity,
    Status,
    Step,
    StepSummary,
    StepType,
    Summary,
    Workflow,
)
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.steps.registry import kind_of

Name = Annotated[str, Meta(min_length=1, max_length=256)]


class StepIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str | None = field(name="_id", default=None)
    step_id: str | None = None
    name: Name
    type: StepType
    control_values: dict[str, Any] | UnsetType | None = UNSET

    def draft(self) -> StepDraft:
        return StepDraft(
            id=self.id,
            key=self.step_id,
            name=self.name,
            type=self.type,
            controls=self.control_values,
        )


class PreferencesIn(msgspec.Struct, frozen=True, kw_only=True):
    user: Preference | UnsetType | None = UNSET
    workflow: Preference | UnsetType | None = UNSET
    default: Preference | UnsetType | None = UNSET
    """As it is answered; `workflow` is the name under which it is written."""


class WorkflowPatchIn(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is absent stays as it is."""

    name: Name | UnsetType = UNSET
    description: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    severity: Severity | UnsetType = UNSET
    validate_payload: bool | UnsetType = UNSET
    payload_schema: dict[str, Any] | UnsetType | None = UNSET
    is_translation_enabled: bool | UnsetType = UNSET
    preferences: PreferencesIn = field(default_factory=PreferencesIn)

    def draft(self) -> Draft:
        given = self.preferences
        names = set(Draft.__struct_fields__) & set(self.__struct_fields__) - {"steps"}
        return Draft(
            **{name: getattr(self, name) for name in names},
            user_preference=given.user,
            default_preference=given.default if given.workflow is UNSET else given.workflow,
        )


class WorkflowUpdateIn(WorkflowPatchIn, frozen=True, kw_only=True, rename="camel"):
    name: Name
    steps: list[StepIn]
    preferences: PreferencesIn

    def draft(self) -> Draft:
        steps = [step.draft() for step in self.steps]
        return msgspec.structs.replace(super().draft(), steps=steps)


class WorkflowCreateIn(WorkflowUpdateIn, frozen=True, kw_only=True, rename="camel"):
    workflow_id: str
    preferences: PreferencesIn = field(default_factory=PreferencesIn)


class ContentIssueOut(Out, frozen=True, kw_only=True):
    issue_type: ContentIssueType
    message: str
    variable_name: str | UnsetType = UNSET


class IntegrationIssueOut(Out, frozen=True, kw_only=True):
    issue_type: IntegrationIssueType
    message: str


class StepIssuesOut(Out, frozen=True, kw_only=True):
    controls: dict[str, list[ContentIssueOut]] | UnsetType = UNSET
    integration: dict[str, list[IntegrationIssueOut]] | UnsetType = UNSET


def controls_issues(issues: ControlIssues) -> dict[str, list[ContentIssueOut]] | UnsetType:
    if not issues:
        return UNSET
    return {
        path: [
            ContentIssueOut(
                issue_type=issue.issue_type,
                message=issue.message,
                variable_name=unless_none(issue.variable_name),
            )
            for issue in found
        ]
        for path, found in issues.items()
    }


def step_issues(step: Step | StepSummary, connections: Connections) -> StepIssuesOut | UnsetType:
    integration: dict[str, list[IntegrationIssueOut]] | UnsetType = UNSET
    channel = next((channel for channel in CHANNELS if channel == step.type), None)
    if channel and (issue := integration_issue(channel, connections)):
        found = IntegrationIssueOut(issue_type=issue.issue_type, message=issue.message)
        integration = {step.type: [found]}
    controls = controls_issues(step.issues)
    if controls is UNSET and integration is UNSET:
        return UNSET
    return StepIssuesOut(controls=controls, integration=integration)


class ControlsOut(Out, frozen=True, kw_only=True):
    data_schema: dict[str, Any]
    ui_schema: dict[str, Any]
    values: dict[str, Any]


class StepOut(Out, frozen=True, kw_only=True):
    controls: ControlsOut
    control_values: dict[str, Any]
    variables: dict[str, Any]
    step_id: str
    id: Id = field(name="_id")
    name: str
    slug: str
    type: StepType
    origin: str
    workflow_id: str
    workflow_database_id: Id
    issues: StepIssuesOut | UnsetType = UNSET

    @classmethod
    def of(
        cls, workflow: Workflow, step: Step, connections: Connections, dialect: Dialect
    ) -> "StepOut":
        kind = kind_of(step.type)
        values = {"subject": "", **step.controls} if step.type == "email" else step.controls
        payload = variables.payload_of(workflow)
        results = checking.results_before(workflow.steps, step, payload)
        return cls(
            controls=ControlsOut(
                data_schema=kind.data_schema, ui_schema=kind.ui_schema, values=values
            ),
            control_values=values,
            variables=variables.schema(payload, results),
            step_id=step.key,
            id=step.id,
            name=step.name,
            slug=step.slug,
            type=step.type,
            origin=dialect.spell(workflow.origin),
            workflow_id=workflow.key,
            workflow_database_id=workflow.id,
            issues=step_issues(step, connections),
        )


class RuntimeIssueOut(Out, frozen=True, kw_only=True):
    issue_type: str
    message: str


class PreferencesOut(Out, frozen=True, kw_only=True):
    user: Preference | None
    default: Preference

    @classmethod
    def of(cls, preferences: Preferences) -> "PreferencesOut":
        return cls(
            user=preferences.user and preferences.user.filled(),
            default=preferences.default.filled(),
        )


class WorkflowOut(Out, frozen=True, kw_only=True):
    name: str
    description: str
    tags: list[str]
    active: bool
    validate_payload: bool
    payload_schema: dict[str, Any] | None
    is_translation_enabled: bool
    id: Id = field(name="_id")
    workflow_id: str
    slug: str
    updated_at: Timestamp
    created_at: Timestamp
    last_published_at: Timestamp | None
    last_triggered_at: Timestamp | None
    steps: list[StepOut]
    origin: str
    preferences: PreferencesOut
    status: Status
    issues: dict[str, RuntimeIssueOut] | UnsetType = UNSET
    payload_example: dict[str, Any] | None
    severity: Severity
    version: Annotated[int, Meta(description="Goes up by one with every save.")]

    @classmethod
    def of(cls, workflow: Workflow, connections: Connections, dialect: Dialect) -> "WorkflowOut":
        return cls(
            name=workflow.name,
            description=workflow.description,
            tags=workflow.tags,
            active=workflow.active,
            validate_payload=workflow.validate_payload,
            payload_schema=workflow.payload_schema,
            is_translation_enabled=workflow.is_translation_enabled,
            id=workflow.id,
            workflow_id=workflow.key,
            slug=workflow.slug,
            updated_at=iso(workflow.updated_at),
            created_at=iso(workflow.created_at),
            last_published_at=_iso(workflow.last_published_at),
            last_triggered_at=_iso(workflow.last_triggered_at),
            steps=[StepOut.of(workflow, step, connections, dialect) for step in workflow.steps],
            origin=dialect.spell(workflow.origin),
            preferences=PreferencesOut.of(workflow.preferences),
            status=workflow.status,
            issues=_runtime_issues(workflow),
            payload_example=_example(workflow.payload_schema),
            severity=workflow.severity,
            version=workflow.version,
        )


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def _runtime_issues(workflow: Workflow) -> dict[str, RuntimeIssueOut] | UnsetType:
    if workflow.steps:
        return UNSET
    message = "The workflow has no steps, so a trigger of it does nothing. Add a step."
    return {"steps": RuntimeIssueOut(issue_type="MISSING_VALUE", message=message)}


def _example(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    example = None if schema is None else schemas.example({"type": "object", **schema})
    return example if isinstance(example, dict) else None


class StepDefinitionOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    step_id: str
    name: str
    type: StepType
    control_values: dict[str, Any]


class DefinitionOut(Out, frozen=True, kw_only=True):
    """What people decided, without what follows from it."""

    workflow_id: str
    name: str
    description: str
    tags: list[str]
    active: bool
    severity: Severity
    validate_payload: bool
    payload_schema: dict[str, Any] | None
    is_translation_enabled: bool
    preferences: PreferencesOut
    steps: list[StepDefinitionOut]

    @classmethod
    def of(cls, definition: Definition) -> "DefinitionOut":
        return cls(
            workflow_id=definition.key,
            name=definition.name,
            description=definition.description,
            tags=definition.tags,
            active=definition.active,
            severity=definition.severity,
            validate_payload=definition.validate_payload,
            payload_schema=definition.payload_schema,
            is_translation_enabled=definition.is_translation_enabled,
            preferences=PreferencesOut.of(definition.preferences),
            steps=[
                StepDefinitionOut(
                    id=step.id,
                    step_id=step.key,
                    name=step.name,
                    type=step.type,
                    control_values=step.controls,
                )
                for step in definition.steps
            ],
        )


class StepListItemOut(Out, frozen=True, kw_only=True):
    slug: str
    type: StepType
    issues: StepIssuesOut | UnsetType = UNSET


class WorkflowListItemOut(Out, frozen=True, kw_only=True):
    name: str
    tags: list[str]
    updated_at: Timestamp
    created_at: Timestamp
    last_published_at: Timestamp | None
    id: Id = field(name="_id")
    workflow_id: str
    slug: str
    status: Status
    origin: str
    last_triggered_at: Timestamp | None
    step_type_overviews: list[StepType]
    is_translation_enabled: bool
    steps: list[StepListItemOut]

    @classmethod
    def of(
        cls, summary: Summary, connections: Connections, dialect: Dialect
    ) -> "WorkflowListItemOut":
        return cls(
            name=summary.name,
            tags=summary.tags,
            updated_at=iso(summary.updated_at),
            created_at=iso(summary.created_at),
            last_published_at=_iso(summary.last_published_at),
            id=summary.id,
            workflow_id=summary.key,
            slug=summary.slug,
            status=summary.status,
            origin=dialect.spell(summary.origin),
            last_triggered_at=_iso(summary.last_triggered_at),
            step_type_overviews=[step.type for step in summary.steps],
            is_translation_enabled=summary.is_translation_enabled,
            steps=[
                StepListItemOut(
                    slug=step.slug, type=step.type, issues=step_issues(step, connections)
                )
                for step in summary.steps
            ],
        )
