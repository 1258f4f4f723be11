"""A workflow's name, tags and severity, whom it reaches by default, and what its payload holds."""

from typing import Any, cast, get_args

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import workflows as actions
from tidings.domain import schemas, variables
from tidings.domain.channels import CHANNELS
from tidings.domain.drafts import Draft
from tidings.domain.errors import InvalidError
from tidings.domain.workflows import All, Enabled, Preference, Severity, Workflow
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import workflows
from tidings.storage.database import Connection
from tidings.web.form import Form
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_parts import author, page, place

_AT = "/{environment:str}/workflows/{workflow:str}"


async def _settings(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    preferences = found.preferences
    return page(
        visit,
        found,
        "settings",
        "settings",
        title=f"Settings · {found.name}",
        channels=CHANNELS,
        severities=get_args(Severity),
        preference=(preferences.user or preferences.default).filled(),
        critical=preferences.critical,
    )


@view(_AT + "/settings")
async def show_settings(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    return await _settings(visit, conn, {"workflow": workflow})


@change(_AT + "/settings", does="workflow.update", again=_settings)
async def save_settings(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    form = visit.form
    former = await workflows.lock(tx, visit.scope, workflow)
    severity = form.get("severity")
    if severity not in get_args(Severity):
        raise InvalidError.of("severity", "must be one of " + ", ".join(get_args(Severity)))
    draft = Draft(
        name=form.get("name").strip(),
        description=form.get("description").strip(),
        tags=_tags(form.get("tags")),
        severity=cast(Severity, severity),
        is_translation_enabled=form.flag("translated"),
        **_preferences(former, form),
    )
    saved = await actions.change(tx, visit.scope, world, former.id, draft, author(visit))
    visit.touch(saved.id, saved.name, version=saved.version)
    return visit.go(visit.at("workflows", place(saved), "settings"), _said(former, saved))


def _tags(text: str) -> list[str]:
    return list(dict.fromkeys(tag.strip() for tag in text.split(",") if tag.strip()))


def _preferences(former: Workflow, form: Form) -> dict[str, Any]:
    """The layer that counts is the one that is edited."""
    wanted = Preference(
        all=All(enabled=form.flag("all"), read_only=form.flag("critical")),
        channels={name: Enabled(form.flag(f"channel.{name}")) for name in CHANNELS},
    )
    layers = former.preferences
    if wanted == (layers.user or layers.default).filled():
        return {}
    if layers.user is None:
        return {"default_preference": wanted}
    calm = msgspec.structs.replace(layers.default.all, read_only=wanted.all.read_only)
    default = msgspec.structs.replace(layers.default, all=calm)
    return {"user_preference": wanted, "default_preference": default}


def _said(former: Workflow, saved: Workflow) -> str:
    changed = saved.version != former.version
    return f"Saved as version {saved.version}." if changed else "There was nothing to save."


async def _payload(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    seen = variables.payload_of(found)
    return page(
        visit,
        found,
        "payload",
        "payload",
        title=f"Payload · {found.name}",
        schema=_pretty(found.payload_schema),
        proposed=_pretty(
            {name: each for name, each in seen.items() if name != "additionalProperties"}
        ),
        uses=bool(seen.get("properties")),
        example=_pretty(schemas.example(seen)),
    )


def _pretty(value: Any) -> str:
    if value is None:
        return ""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


@view(_AT + "/payload")
async def show_payload(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    return await _payload(visit, conn, {"workflow": workflow})


@change(_AT + "/payload", does="workflow.update", again=_payload)
async def save_payload(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    former = await workflows.lock(tx, visit.scope, workflow)
    schema = _schema(visit.form.get("payloadSchema"))
    draft = Draft(payload_schema=schema, validate_payload=visit.form.flag("validated"))
    saved = await actions.change(tx, visit.scope, world, former.id, draft, author(visit))
    visit.touch(saved.id, saved.name, version=saved.version)
    return visit.go(visit.at("workflows", place(saved), "payload"), _said(former, saved))


def _schema(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        found = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InvalidError.of("payloadSchema", f"is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidError.of("payloadSchema", 'must be an object, such as {"type": "object"}')
    return found


HANDLERS = [show_settings, save_settings, show_payload, save_payload]
