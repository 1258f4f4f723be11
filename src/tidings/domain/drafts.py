"""What a caller wants a workflow to be, in whole or in part."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from tidings.domain import slugs
from tidings.domain.workflows import Definition, Preference, Preferences, Severity, Step, StepType


class StepDraft(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None = None
    key: str | None = None
    name: str
    type: StepType
    controls: dict[str, Any] | UnsetType | None = UNSET
    """Absent: as they were. None: cleared."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What is absent stays as it was."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    severity: Severity | UnsetType = UNSET
    validate_payload: bool | UnsetType = UNSET
    payload_schema: dict[str, Any] | UnsetType | None = UNSET
    is_translation_enabled: bool | UnsetType = UNSET
    user_preference: Preference | UnsetType | None = UNSET
    default_preference: Preference | UnsetType | None = UNSET
    steps: list[StepDraft] | UnsetType = UNSET


_PLAIN = (
    "name",
    "description",
    "tags",
    "active",
    "severity",
    "validate_payload",
    "payload_schema",
    "is_translation_enabled",
)


def applied(former: Definition, draft: Draft) -> Definition:
    """The former definition with the draft's wishes."""
    values = {name: getattr(draft, name) for name in _PLAIN}
    if draft.steps is not UNSET:
        values["steps"] = _steps(former.steps, draft.steps)
    values["preferences"] = _preferences(former.preferences, draft)
    return msgspec.structs.replace(
        former, **{name: value for name, value in values.items() if value is not UNSET}
    )


def _preferences(former: Preferences, draft: Draft) -> Preferences:
    user, default = draft.user_preference, draft.default_preference
    return Preferences(
        user=former.user if user is UNSET else user,
        default=former.default if default is UNSET else default or Preference(),
    )


def _steps(former: Sequence[Step], drafts: Sequence[StepDraft]) -> list[Step]:
    matched = match(former, drafts)
    steps = []
    for draft, old in zip(drafts, matched, strict=True):
        controls = draft.controls
        if controls is UNSET:
            controls = old.controls if old is not None and old.type == draft.type else {}
        steps.append(
            Step(
                id=old.id if old is not None else "",
                key=old.key if old is not None else draft.key or "",
                name=draft.name,
                type=draft.type,
                controls=_without_nulls(draft.type, controls or {}),
            )
        )
    return steps


def match(former: Sequence[Step], wanted: Sequence[StepDraft | Step]) -> list[Step | None]:
    """For each wanted step the one it was before: by `_id`, else by stepId; nobody twice."""
    left = {step.id: step for step in former}
    found: list[Step | None] = [left.pop(step.id or "", None) for step in wanted]
    keys = {step.key: step for step in left.values()}
    for place, step in enumerate(wanted):
        if found[place] is None and step.key:
            found[place] = keys.pop(step.key, None)
    return found


def _without_nulls(type: StepType, controls: dict[str, Any]) -> dict[str, Any]:
    """A control set to null is not set; only `layoutId` means something by it."""
    if type == "custom":
        return controls
    return {
        name: value for name, value in controls.items() if value is not None or name == "layoutId"
    }


def step_key(name: str, type: StepType, taken: set[str], suffix: str) -> str:
    """A stepId from the name, with the suffix if another step has it."""
    key = slugs.slugify(name) or type.replace("_", "-")
    return f"{key}-{suffix}" if key in taken else key
