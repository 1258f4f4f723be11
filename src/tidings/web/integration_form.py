"""An integration's credentials, webhook and conditions as fields of a form, and back."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET

from tidings.domain.conditions import FieldFilterPart, FilterType, Join, Operator, StepFilter
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.integrations import Configurations, Credentials
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import Field, mask
from tidings.web.form import Form

Control = Literal["text", "secret", "area", "secret area", "tick"]

_SIGNING_KEY = "inboundWebhookSigningKey"
_LONG = ("pem", "json")
_MOST_GROUPS = 20
_MOST_LINES = 50
_BLANK_LINES = 2

OPERATORS: Mapping[Operator, str] = {
    "EQUAL": "is",
    "NOT_EQUAL": "is not",
    "LARGER": "is larger than",
    "LARGER_EQUAL": "is at least",
    "SMALLER": "is smaller than",
    "SMALLER_EQUAL": "is at most",
    "BETWEEN": "is between",
    "NOT_BETWEEN": "is not between",
    "IN": "is one of",
    "NOT_IN": "is none of",
    "ANY_IN": "has one of",
    "ALL_IN": "has all of",
    "LIKE": "contains",
    "NOT_LIKE": "does not contain",
}
JOINS: Mapping[Join, str] = {"AND": "all of these hold", "OR": "any of these holds"}


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """One credential in a form."""

    name: str
    label: str
    control: Control
    required: bool
    help: str = ""
    value: str = ""
    """What is shown; never a secret."""
    kept: str = ""
    """The mask of a secret that is there already, and stays when nothing is typed."""
    placeholder: str = ""
    ticked: bool = False


def inputs(provider: AnyProvider | None, stored: Mapping[str, Any]) -> list[Input]:
    """The provider's credentials in its order, but ticks last: they take a line each."""
    found = [_input(field, stored.get(field.name)) for field in declared(provider)]
    return sorted(found, key=lambda each: each.control == "tick")


def declared(provider: AnyProvider | None) -> list[Field]:
    return list(provider.credentials) if provider is not None else []


def _input(field: Field, stored: Any) -> Input:
    control = _control(field)
    shown = "" if stored is None or field.secret or control == "tick" else stored
    if isinstance(shown, dict):
        shown = msgspec.json.format(msgspec.json.encode(shown)).decode() if shown else ""
    default = field.default if isinstance(field.default, str) else ""
    return Input(
        name=f"credentials.{field.name}",
        label=field.label,
        control=control,
        required=field.required and field.default is None,
        help=field.help,
        value=str(shown),
        kept=mask(stored) if field.secret and isinstance(stored, str) else "",
        placeholder=default,
        ticked=bool(field.default if stored is None else stored) and control == "tick",
    )


def _control(field: Field) -> Control:
    if field.kind == "boolean":
        return "tick"
    if field.kind == "object" or field.format in _LONG:
        return "secret area" if field.secret else "area"
    return "secret" if field.secret else "text"


def credentials_of(
    form: Form, provider: AnyProvider | None, stored: Mapping[str, Any]
) -> dict[str, Any]:
    """What the form means: an empty secret keeps what is there, and so do credentials that the
    form does not show."""
    fields = declared(provider)
    shown = {field.name for field in fields}
    meant = {name: value for name, value in stored.items() if name not in shown}
    for field in fields:
        value = _value(form, field, stored.get(field.name))
        if value not in (None, "", {}):
            meant[field.name] = value
    return meant


def _value(form: Form, field: Field, stored: Any) -> Any:
    name = f"credentials.{field.name}"
    if field.kind == "boolean":
        return form.flag(name) or (False if stored is not None or field.default else None)
    given = form.text(name)
    if field.kind == "object":
        return {} if given is None else _object(field, given)
    if field.secret and given is None:
        return _kept(form, name, stored)
    return given


def _kept(form: Form, name: str, stored: Any) -> str | None:
    return mask(stored) if isinstance(stored, str) and not form.flag(f"{name}.remove") else None


def _object(field: Field, text: str) -> dict[str, Any]:
    name = f"credentials.{field.name}"
    try:
        value = msgspec.json.decode(text, type=dict[str, Any])
        msgspec.convert({field.name: value}, Credentials)
    except msgspec.ValidationError:
        raise InvalidError.of(name, f"{field.label} must be a JSON object of texts") from None
    except msgspec.DecodeError as error:
        raise InvalidError.of(name, f"{field.label} is not JSON: {error}") from None
    return value


def configurations_of(form: Form, stored: Configurations) -> Configurations:
    name = f"configurations.{_SIGNING_KEY}"
    before = stored.inbound_webhook_signing_key
    key = form.text(name) or _kept(form, name, before)
    return Configurations(
        inbound_webhook_enabled=form.flag("configurations.inboundWebhookEnabled"),
        inbound_webhook_signing_key=UNSET if key is None else key,
    )


def kept_signing_key(stored: Configurations) -> str:
    key = stored.inbound_webhook_signing_key
    return mask(key) if isinstance(key, str) else ""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    on: str = "subscriber"
    field: str = ""
    operator: str = "EQUAL"
    value: str = ""


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A step filter as the form shows it, with room for more."""

    join: str = "AND"
    negated: bool = False
    type: str = "GROUP"
    lines: list[Line]


_LINE_PARTS = Line.__struct_fields__


def groups(conditions: tuple[StepFilter, ...]) -> list[Group]:
    """What is there, each with blank lines below, and a blank group at the end."""
    blank = [Line() for _ in range(_BLANK_LINES)]
    found = [
        Group(
            join=each.value,
            negated=each.is_negated,
            type=each.type,
            lines=[Line(**msgspec.to_builtins(part)) for part in each.children] + blank,
        )
        for each in conditions
    ]
    return [*found, Group(lines=blank)]


def sent_groups(form: Form) -> list[Group]:
    """The same from a form that was sent, blank lines and all."""
    found = []
    for number in range(_MOST_GROUPS):
        at = f"conditions.{number}"
        if f"{at}.join" not in form:
            break
        lines = [
            Line(
                **{name: form.get(f"{at}.{line}.{name}").strip() for name in Line.__struct_fields__}
            )
            for line in range(_MOST_LINES)
            if f"{at}.{line}.field" in form
        ]
        found.append(
            Group(
                join=form.get(f"{at}.join"),
                negated=form.flag(f"{at}.negated"),
                type=form.get(f"{at}.type", "GROUP"),
                lines=lines,
            )
        )
    return found


def conditions_of(form: Form) -> tuple[StepFilter, ...]:
    """Blank lines say nothing, and neither do groups without any."""
    problems: dict[str, Problem] = {}
    meant = []
    for number, group in enumerate(sent_groups(form)):
        parts = []
        for position, line in enumerate(group.lines):
            at = f"conditions.{number}.{position}"
            if not line.field and line.value:
                problems[f"{at}.field"] = Problem(["say which field is compared"])
            elif line.field:
                parts.append(_part(line, at, problems))
        if parts:
            meant.append((group, parts))
    if problems:
        raise InvalidError(problems)
    return tuple(_filter(group, parts) for group, parts in meant)


def _part(line: Line, at: str, problems: dict[str, Problem]) -> dict[str, str]:
    if line.operator not in get_args(Operator):
        problems[f"{at}.operator"] = Problem(["is not a comparison"])
    if line.on not in ("subscriber", "payload"):
        problems[f"{at}.on"] = Problem(["must be subscriber or payload"])
    return msgspec.to_builtins(line)  # type: ignore[no-any-return]


def _filter(group: Group, parts: list[dict[str, str]]) -> StepFilter:
    try:
        return StepFilter(
            is_negated=group.negated,
            type=msgspec.convert(group.type, FilterType),
            value=msgspec.convert(group.join, Join),
            children=msgspec.convert(parts, tuple[FieldFilterPart, ...]),
        )
    except msgspec.ValidationError as error:
        raise InvalidError.of("conditions", f"cannot be read: {error}") from None
