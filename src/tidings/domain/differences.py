"""What differs between two definitions, in the words of the people who wrote them."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from tidings.domain.workflows import Definition

Action = Literal["added", "modified", "deleted", "moved"]
_LONGEST = 60


class Change(msgspec.Struct, frozen=True, kw_only=True):
    action: Action
    path: str
    """`name`, `steps.welcome-mail`, `steps.welcome-mail.controls.subject`."""
    before: Any = None
    after: Any = None
    step: str | None = None
    """The stepId it is about, unless it is about the workflow as a whole."""

    def __str__(self) -> str:
        if self.action == "added":
            return f"{self.path}: added{_as(self.after)}"
        if self.action == "deleted":
            return f"{self.path}: removed{_as(self.before)}"
        if self.action == "moved":
            return f"{self.path}: moved from place {self.before + 1} to {self.after + 1}"
        return f"{self.path}: {_brief(self.before)} -> {_brief(self.after)}"


def between(before: Definition, after: Definition) -> list[Change]:
    """Identifiers of ours and issues play no part; steps are matched by their stepId."""
    old, new = plain(before), plain(after)
    old_steps, new_steps = old.pop("steps"), new.pop("steps")
    return [*of_values(old, new), *_of_steps(old_steps, new_steps)]


def plain(definition: Definition) -> dict[str, Any]:
    """The definition as data, without what is ours."""
    steps = [
        {"key": step.key, "name": step.name, "type": step.type, "controls": step.controls}
        for step in definition.steps
    ]
    names = [name for name in Definition.__struct_fields__ if name != "steps"]
    data: dict[str, Any] = {name: msgspec.to_builtins(getattr(definition, name)) for name in names}
    preferences = definition.preferences
    data["preferences"] = {
        "user": msgspec.to_builtins(preferences.user and preferences.user.filled()),
        "default": msgspec.to_builtins(preferences.default.filled()),
    }
    return {**data, "steps": steps}


def of_values(before: Any, after: Any, path: str = "") -> list[Change]:
    """Differences of two pieces of data, objects member by member."""
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        if before == after and type(before) is type(after):
            return []
        return [Change(action="modified", path=path, before=before, after=after)]
    changes = []
    for name in [*before, *(name for name in after if name not in before)]:
        inner = f"{path}.{name}" if path else str(name)
        if name not in after:
            changes.append(Change(action="deleted", path=inner, before=before[name]))
        elif name not in before:
            changes.append(Change(action="added", path=inner, after=after[name]))
        else:
            changes += of_values(before[name], after[name], inner)
    return changes


def _of_steps(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[Change]:
    old = {step["key"]: step for step in before}
    new = {step["key"]: step for step in after}
    order_before = [key for key in old if key in new]
    order_after = [key for key in new if key in old]
    changes = [
        Change(action="deleted", path=f"steps.{key}", before=step, step=key)
        for key, step in old.items()
        if key not in new
    ]
    for place, (key, step) in enumerate(new.items()):
        path = f"steps.{key}"
        if key not in old:
            changes.append(Change(action="added", path=path, after=step, step=key))
            continue
        found = of_values(old[key], step, path)
        changes += [msgspec.structs.replace(change, step=key) for change in found]
        if order_before.index(key) != order_after.index(key):
            former = list(old).index(key)
            changes.append(Change(action="moved", path=path, before=former, after=place, step=key))
    return changes


def _as(value: Any) -> str:
    if isinstance(value, Mapping) and "type" in value and "controls" in value:
        return f" ({value['type']} step {value['name']!r})"
    return f" ({_brief(value)})"


def _brief(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
