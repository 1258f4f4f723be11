"""Workflows: what people decide about a notification, and what follows from it."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain import slugs
from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.errors import InvalidError, NotFoundError
from tidings.domain.issues import ControlIssues
from tidings.domain.scope import Scope

StepType = Literal[
    "in_app", "email", "sms", "push", "chat", "delay", "digest", "throttle", "custom"
]
Origin = Literal["svc-cloud", "svc-cloud-v1", "external"]
Status = Literal["ACTIVE", "INACTIVE", "ERROR"]
Severity = Literal["high", "medium", "low", "none"]

MAXIMUM_TAGS = 16
MAXIMUM_STEPS = 50
_KEY = re.compile(r"[A-Za-z0-9_.:@-]{1,128}")


class All(msgspec.Struct, frozen=True, rename="camel"):
    enabled: bool = True
    read_only: bool = False
    """A critical workflow: subscribers cannot switch it off."""


class Enabled(msgspec.Struct, frozen=True):
    enabled: bool = True


class Preference(msgspec.Struct, frozen=True):
    """One layer of a workflow's preferences. A channel that is not named follows `all`."""

    all: All = msgspec.field(default_factory=All)
    channels: dict[Channel, Enabled] = {}

    def filled(self) -> "Preference":
        """With all five channels named."""
        given = self.channels
        channels = {name: given.get(name, Enabled(self.all.enabled)) for name in CHANNELS}
        return Preference(self.all, channels)


class Preferences(msgspec.Struct, frozen=True):
    """The layers that a workflow itself carries; `user` wins over `default`."""

    user: Preference | None = None
    default: Preference = msgspec.field(default_factory=Preference)

    @property
    def critical(self) -> bool:
        layers = (self.user, self.default)
        return any(layer is not None and layer.all.read_only for layer in layers)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    id: str = ""
    key: str = ""
    name: str
    type: StepType
    controls: dict[str, Any] = {}
    issues: ControlIssues = {}
    """What is wrong with the controls; found when the workflow is saved."""
    uses: list[str] = []
    """The variables its templates and conditions name."""

    @property
    def slug(self) -> str:
        return slugs.slug(self.name, "st", self.id)


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """What people decide about a workflow: what is versioned, synchronized and kept in files."""

    key: str
    name: str
    description: str = ""
    tags: list[str] = []
    active: bool = False
    severity: Severity = "none"
    validate_payload: bool = False
    payload_schema: dict[str, Any] | None = None
    is_translation_enabled: bool = False
    preferences: Preferences = Preferences()
    steps: list[Step] = []


class Workflow(Definition, frozen=True, kw_only=True):
    id: str
    scope: Scope
    origin: Origin
    status: Status
    version: int
    created_at: datetime
    updated_at: datetime
    last_published_at: datetime | None = None
    last_triggered_at: datetime | None = None

    @property
    def slug(self) -> str:
        return slugs.slug(self.name, "wf", self.id)

    @property
    def definition(self) -> Definition:
        fields = Definition.__struct_fields__
        return Definition(**{name: getattr(self, name) for name in fields})


class StepSummary(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    type: StepType
    issues: ControlIssues = {}

    @property
    def slug(self) -> str:
        return slugs.slug(self.name, "st", self.id)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow as a listing shows it."""

    id: str
    key: str
    name: str
    tags: list[str]
    origin: Origin
    status: Status
    is_translation_enabled: bool
    created_at: datetime
    updated_at: datetime
    last_published_at: datetime | None
    last_triggered_at: datetime | None
    steps: list[StepSummary]

    @property
    def slug(self) -> str:
        return slugs.slug(self.name, "wf", self.id)


class Author(msgspec.Struct, frozen=True):
    """Who saved a version: an API key, or the command line."""

    id: str
    name: str


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow as it was saved once. Runs keep to the version they started with."""

    workflow_id: str
    version: int
    saved_at: datetime
    saved_by: Author | None
    changes: list[str]
    """What differs from the version before, one sentence each."""
    definition: Definition | None = None
    """Left out of listings."""


def status(active: bool, steps: Iterable[Step]) -> Status:
    """Only what is wrong with the controls makes an error; a missing integration does not."""
    if not active:
        return "INACTIVE"
    return "ERROR" if any(step.issues for step in steps) else "ACTIVE"


def check(definition: Definition) -> None:
    """Refuse what cannot be stored; everything else is accepted and reported as issues."""
    if not definition.name.strip():
        raise InvalidError.of("name", "must not be empty", definition.name)
    if not _KEY.fullmatch(definition.key):
        raise InvalidError.of(
            "workflowId",
            "must have 1 to 128 letters, digits, hyphens, underscores, dots, colons or @",
            definition.key,
        )
    if len(definition.tags) > MAXIMUM_TAGS:
        raise InvalidError.of("tags", f"must have at most {MAXIMUM_TAGS} entries", definition.tags)
    if len(definition.steps) > MAXIMUM_STEPS:
        raise InvalidError.of("steps", f"must have at most {MAXIMUM_STEPS} entries")
    for number, step in enumerate(definition.steps):
        if not step.name.strip():
            raise InvalidError.of(f"steps.{number}.name", "must not be empty", step.name)
        if step.key and not _KEY.fullmatch(step.key):
            raise InvalidError.of(
                f"steps.{number}.stepId",
                "must have 1 to 128 letters, digits, hyphens, underscores, dots, colons or @",
                step.key,
            )
    keys = [step.key for step in definition.steps if step.key]
    for key in keys:
        if keys.count(key) > 1:
            raise InvalidError.of("steps", f"two steps have the stepId {key!r}", key)


def find_step(workflow: Workflow, reference: str) -> Step:
    """By stepId, then `_id`, then slug."""
    id = reference if slugs.is_id(reference) else slugs.lengthen(reference)
    for step in workflow.steps:
        if step.key == reference:
            return step
    for step in workflow.steps:
        if step.id == id:
            return step
    raise NotFoundError(
        f"The workflow {workflow.key!r} has no step {reference!r}; it has "
        + (", ".join(repr(step.key) for step in workflow.steps) or "none")
        + ".",
        stepId=reference,
        workflowId=workflow.key,
    )
