"""A message in the inbox."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tidings.domain.limits import Limits
from tidings.domain.schemas import Schema
from tidings.steps.base import Controls, Kind, Problem, ui

Address = Annotated[str, Meta(pattern=r"^(https?://.+|/.*|\{\{.*\}\}.*)?$")]
_HINT = "must be a URL, a path that starts with / or a {{ variable }}"


class Redirect(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    url: Annotated[Address | UnsetType, Meta(extra={"hint": _HINT})] = UNSET
    target: Literal["_self", "_blank", "_parent", "_top", "_unfencedTop"] = "_self"


class Button(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    label: str | UnsetType = UNSET
    redirect: Annotated[Redirect | UnsetType, Meta(extra={"record": Redirect})] = UNSET


_BUTTON = ui("IN_APP_BUTTON_DROPDOWN", record=Button)


class InAppControls(Controls, frozen=True, kw_only=True):
    subject: Annotated[str | UnsetType, ui("IN_APP_PRIMARY_SUBJECT", "")] = UNSET
    body: Annotated[str | UnsetType, ui("IN_APP_BODY", "")] = UNSET
    avatar: Annotated[Address | UnsetType, ui("IN_APP_AVATAR", "", hint=_HINT)] = UNSET
    primary_action: Annotated[Button | UnsetType, _BUTTON] = UNSET
    secondary_action: Annotated[Button | UnsetType, _BUTTON] = UNSET
    redirect: Annotated[
        Redirect | UnsetType,
        ui("URL_TEXT_BOX", {"url": "", "target": "_self"}, record=Redirect),
    ] = UNSET
    disable_output_sanitization: Annotated[
        bool, ui("IN_APP_DISABLE_SANITIZATION_SWITCH", False)
    ] = False
    data: Annotated[dict[str, Any] | UnsetType, ui("DATA")] = UNSET


def rules(values: Mapping[str, Any], limits: Limits) -> Iterable[Problem]:
    if not values.get("subject") and not values.get("body"):
        yield Problem("subject", "Subject or body is required")
        yield Problem("body", "Subject or body is required")
    for name in ("primaryAction", "secondaryAction"):
        button = values.get(name)
        if isinstance(button, Mapping) and not button.get("label"):
            yield Problem(f"{name}.label", "The button needs a label; remove it if it is not used")


def results(payload: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {
            "seen": {"type": "boolean"},
            "read": {"type": "boolean"},
            "lastSeenDate": {"type": ["string", "null"], "format": "date-time"},
            "lastReadDate": {"type": ["string", "null"], "format": "date-time"},
        },
        "additionalProperties": False,
    }


STEP = Kind(
    type="in_app",
    group="IN_APP",
    variants=(InAppControls,),
    rules=rules,
    requirements={
        "anyOf": [
            {"required": [name], "properties": {name: {"minLength": 1}}}
            for name in ("subject", "body")
        ]
    },
    results=results,
    templates=(
        "subject",
        "body",
        "avatar",
        "primaryAction",
        "secondaryAction",
        "redirect",
        "data",
    ),
)
