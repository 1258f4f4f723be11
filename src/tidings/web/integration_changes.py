"""Connecting providers, and changing or removing what is connected."""

from typing import Any

from litestar import Response
from litestar.params import FromPath

from tidings.actions import integrations as actions
from tidings.domain.errors import NotFoundError
from tidings.domain.integrations import WITH_PRIMARY, Configurations, Integration
from tidings.hall.given import Conn, InWorld, Tx
from tidings.providers import registry
from tidings.providers.base import AnyProvider
from tidings.storage import integrations
from tidings.storage.database import Connection
from tidings.web.handlers import change, view
from tidings.web.integration_form import (
    JOINS,
    OPERATORS,
    conditions_of,
    configurations_of,
    credentials_of,
    groups,
    inputs,
    kept_signing_key,
    sent_groups,
)
from tidings.web.integrations import CHANNEL_ICONS, CHANNEL_NAMES, one_of, webhook_address
from tidings.web.visit import InVisit, Visit


def _provider(id: str) -> AnyProvider:
    found = registry.find(id)
    if found is None:
        raise NotFoundError("There is no such provider. Choose one from the catalogue.", id=id)
    return found


async def _new(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    provider = _provider(given["provider"])
    return visit.page(
        "integrations/new.html",
        title=f"Connect {provider.name}",
        provider=provider,
        inputs=inputs(provider, {}),
        names=CHANNEL_NAMES,
        icons=CHANNEL_ICONS,
        ticked=_ticked(visit),
    )


def _ticked(visit: Visit) -> Any:
    """Whether a box is ticked: as the form was sent, or else as it is stored."""
    sent = "name" in visit.form
    return lambda name, stored: visit.form.flag(name) if sent else stored


@view("/{environment:str}/integrations/-/new/{provider:str}", role="editor")
async def show_new_integration(
    visit: InVisit, conn: Conn, provider: FromPath[str]
) -> Response[str]:
    return await _new(visit, conn, {"provider": provider})


@change(
    "/{environment:str}/integrations/-/new/{provider:str}", does="integration.create", again=_new
)
async def create_integration(
    visit: InVisit, tx: Tx, world: InWorld, provider: FromPath[str]
) -> Response[str]:
    vendor, form = _provider(provider), visit.form
    new = actions.NewIntegration(
        provider_id=vendor.id,
        name=form.text("name"),
        identifier=form.text("identifier"),
        credentials=credentials_of(form, vendor, {}),
        configurations=configurations_of(form, Configurations())
        if vendor.takes_webhooks()
        else Configurations(),
        active=form.flag("active"),
    )
    made = await actions.create(tx, visit.scope, world, new)
    visit.touch(made.id, made.name, provider=vendor.name, active=made.active)
    return visit.go(_at(visit, made), f"{made.name} is connected.")


def _at(visit: Visit, integration: Integration, *steps: str) -> str:
    return visit.at("integrations", integration.identifier, *steps)


async def _settings(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    shown, _ = await one_of(visit, conn, given["key"])
    integration = shown.integration
    return visit.page(
        "integrations/settings.html",
        title=f"{integration.name}: settings",
        tab="settings",
        shown=shown,
        names=CHANNEL_NAMES,
        inputs=inputs(shown.provider, integration.credentials),
        webhook=webhook_address(visit, shown),
        signing_key=kept_signing_key(integration.configurations),
        ticked=_ticked(visit),
    )


@view("/{environment:str}/integrations/{key:str}/settings", role="editor")
async def show_settings(visit: InVisit, conn: Conn, key: FromPath[str]) -> Response[str]:
    return await _settings(visit, conn, {"key": key})


@change(
    "/{environment:str}/integrations/{key:str}/settings",
    does="integration.update",
    again=_settings,
)
async def update_integration(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    before = await integrations.get(tx, visit.scope, world.sealer, key)
    provider, form = registry.find(before.provider_id), visit.form
    wanted = actions.Change(
        name=form.get("name"),
        identifier=form.text("identifier") or before.identifier,
        credentials=credentials_of(form, provider, before.credentials),
        configurations=configurations_of(form, before.configurations)
        if provider and provider.takes_webhooks()
        else before.configurations,
        active=form.flag("active"),
    )
    after = await actions.update(tx, visit.scope, world, before.id, wanted)
    visit.touch(after.id, after.name, changed=", ".join(_changed(before, after)) or "nothing")
    return visit.go(_at(visit, after), "Saved.")


def _changed(before: Integration, after: Integration) -> list[str]:
    """The names of what is different now; never what it was or is."""
    fields = [
        name
        for name in ("name", "identifier", "configurations", "active", "primary")
        if getattr(before, name) != getattr(after, name)
    ]
    names = sorted(before.credentials.keys() | after.credentials.keys())
    return fields + [
        name for name in names if before.credentials.get(name) != after.credentials.get(name)
    ]


async def _use(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    shown, siblings = await one_of(visit, conn, given["key"])
    sent = sent_groups(visit.form)
    return visit.page(
        "integrations/use.html",
        title=f"{shown.integration.name}: routing",
        tab="use",
        shown=shown,
        siblings=siblings,
        with_primary=WITH_PRIMARY,
        names=CHANNEL_NAMES,
        groups=sent or groups(shown.integration.conditions),
        operators=OPERATORS,
        joins=JOINS,
    )


@view("/{environment:str}/integrations/{key:str}/use")
async def show_use(visit: InVisit, conn: Conn, key: FromPath[str]) -> Response[str]:
    return await _use(visit, conn, {"key": key})


@change(
    "/{environment:str}/integrations/{key:str}/conditions",
    does="integration.set_conditions",
    again=_use,
)
async def set_conditions(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    wanted = actions.Change(conditions=conditions_of(visit.form))
    after = await actions.update(tx, visit.scope, world, key, wanted)
    visit.touch(after.id, after.name, groups=len(after.conditions))
    said = "The conditions are saved." if after.conditions else "It is used whatever the message."
    return visit.go(_at(visit, after, "use"), said)


@change(
    "/{environment:str}/integrations/{key:str}/primary", does="integration.set_primary", again=_use
)
async def set_primary(visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]) -> Response[str]:
    after = await actions.set_primary(tx, visit.scope, world, key)
    visit.touch(after.id, after.name, channel=after.channel)
    said = f"{after.name} is the primary integration of {CHANNEL_NAMES[after.channel]} now."
    return visit.go(_back(visit, after), said)


@change(
    "/{environment:str}/integrations/{key:str}/active", does="integration.switch", again=_settings
)
async def switch_integration(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    wanted = actions.Change(active=visit.form.flag("active"))
    after = await actions.update(tx, visit.scope, world, key, wanted)
    visit.touch(after.id, after.name, active=after.active)
    said = f"{after.name} is {'on' if after.active else 'off'} now."
    return visit.go(_back(visit, after), said)


def _back(visit: Visit, integration: Integration) -> str:
    """Where the button was pressed: in the list or on a page of the integration."""
    where = visit.form.get("from")
    if where == "list":
        return visit.at("integrations")
    return _at(visit, integration, "use") if where == "use" else _at(visit, integration)


@change("/{environment:str}/integrations/{key:str}/delete", does="integration.delete")
async def delete_integration(
    visit: InVisit, tx: Tx, world: InWorld, key: FromPath[str]
) -> Response[str]:
    gone = await integrations.get(tx, visit.scope, world.sealer, key)
    await actions.delete(tx, visit.scope, world, gone.id, visit.user.id)
    visit.touch(gone.id, gone.name, provider=gone.provider_id)
    return visit.go(visit.at("integrations"), f"{gone.name} is deleted.")


HANDLERS = [
    show_new_integration,
    create_integration,
    show_settings,
    update_integration,
    show_use,
    set_conditions,
    set_primary,
    switch_integration,
    delete_integration,
]
