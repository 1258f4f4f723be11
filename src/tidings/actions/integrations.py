"""Making, changing and removing integrations, and which of them is primary."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tidings.domain.channels import Channel
from tidings.domain.conditions import StepFilter
from tidings.domain.errors import ConflictError, InvalidError, RefusedError
from tidings.domain.integrations import (
    IN_APP_PROVIDER,
    WITH_PRIMARY,
    Configurations,
    Integration,
    keeps_primary,
)
from tidings.domain.scope import Scope
from tidings.domain.slugs import slugify
from tidings.providers import registry
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import check, secret_names, unmasked
from tidings.storage import integrations
from tidings.storage.database import Connection
from tidings.world import World

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_SIGNING_KEY = frozenset({"inboundWebhookSigningKey"})


class NewIntegration(msgspec.Struct, frozen=True, kw_only=True):
    provider_id: str
    channel: Channel | None = None
    name: str | None = None
    identifier: str | None = None
    credentials: Mapping[str, Any] = {}
    configurations: Configurations = Configurations()
    conditions: tuple[StepFilter, ...] = ()
    active: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is set is changed; credentials and configurations are replaced as a whole, but a mask
    in them keeps the value it stands for."""

    name: str | UnsetType = UNSET
    identifier: str | UnsetType = UNSET
    credentials: Mapping[str, Any] | UnsetType = UNSET
    configurations: Configurations | UnsetType = UNSET
    conditions: tuple[StepFilter, ...] | UnsetType = UNSET
    active: bool | UnsetType = UNSET


async def create(tx: Connection, scope: Scope, world: World, new: NewIntegration) -> Integration:
    provider = provider_of(new.provider_id)
    if new.channel not in (None, provider.channel):
        raise InvalidError.of(
            "channel", f"must be {provider.channel} for {provider.name}", new.channel
        )
    await integrations.lock(tx, scope)
    await _refuse_second(tx, scope, provider)
    secrets = secret_names(provider.credentials)
    credentials = unmasked(_trimmed(new.credentials), {}, secrets, "credentials")
    now = world.clock.now()
    name = _named(provider.name if new.name is None else new.name)
    made = Integration(
        id=world.ids.new(),
        organization_id=scope.organization_id,
        environment_id=scope.environment_id,
        name=name,
        identifier=_identified(new.identifier or _made_identifier(name, world)),
        provider_id=provider.id,
        channel=provider.channel,
        credentials=credentials,
        configurations=_configured(new.configurations, Configurations()),
        conditions=_storable(new.conditions),
        active=new.active,
        created_at=now,
        updated_at=now,
    )
    check(provider.credentials, credentials, made.active, world.allowed_references)
    made = replace(made, primary=await _becomes_primary(tx, scope, made))
    await integrations.add(tx, scope, world.sealer, made)
    return made


async def update(
    tx: Connection, scope: Scope, world: World, key: str, change: Change
) -> Integration:
    given = {
        field: value
        for field in change.__struct_fields__
        if (value := getattr(change, field)) is not UNSET
    }
    if not given:
        raise RefusedError(
            "The body changes nothing. Send at least one of name, identifier, active, "
            "credentials, configurations, conditions."
        )
    await integrations.lock(tx, scope)
    before = await integrations.get(tx, scope, world.sealer, key)
    after = replace(before, **_merged(before, given), updated_at=world.clock.now())
    _check(after, world)
    if before.primary:
        after = replace(after, primary=keeps_primary(after))
    elif after.active and not before.active:
        after = replace(after, primary=await _becomes_primary(tx, scope, after))
    await integrations.save(tx, scope, world.sealer, after)
    return after


async def set_primary(tx: Connection, scope: Scope, world: World, key: str) -> Integration:
    """Also switches it on, and takes away its conditions: a primary always delivers."""
    await integrations.lock(tx, scope)
    before = await integrations.get(tx, scope, world.sealer, key)
    if before.channel not in WITH_PRIMARY:
        raise RefusedError(
            f"The channel {before.channel} does not support a primary integration; email and sms "
            "do.",
            channel=before.channel,
        )
    if before.primary:
        return before
    now = world.clock.now()
    after = replace(before, primary=True, active=True, conditions=(), updated_at=now)
    _check(after, world)
    await integrations.drop_primary(tx, scope, before.channel, now)
    await integrations.save(tx, scope, world.sealer, after)
    return after


async def delete(
    tx: Connection, scope: Scope, world: World, key: str, deleted_by: str
) -> list[Integration]:
    """Softly; answers what remains. Nobody becomes primary in place of a deleted one."""
    await integrations.lock(tx, scope)
    gone = await integrations.get(tx, scope, world.sealer, key)
    await integrations.delete(tx, scope, gone.id, world.clock.now(), deleted_by)
    return await integrations.all_of(tx, scope, world.sealer)


async def add_in_app(tx: Connection, scope: Scope, world: World) -> Integration:
    """The integration that every environment begins with."""
    return await create(tx, scope, world, NewIntegration(provider_id=IN_APP_PROVIDER, active=True))


def provider_of(id: str) -> AnyProvider:
    provider = registry.find(id)
    if provider is None:
        raise InvalidError.of(
            "providerId",
            f"is not a provider that this version can send through. Known are "
            f"{', '.join(registry.known())}.",
            id,
        )
    return provider


async def _refuse_second(tx: Connection, scope: Scope, provider: AnyProvider) -> None:
    if not provider.single or not await integrations.has_provider(tx, scope, provider.id):
        return
    message = f"This environment has its {provider.name} integration already; change that one."
    if provider.channel == "in_app":
        raise RefusedError(message, providerId=provider.id)
    raise ConflictError(message, providerId=provider.id)


async def _becomes_primary(tx: Connection, scope: Scope, integration: Integration) -> bool:
    """The first that can always deliver; later ones only when asked."""
    return (
        integration.channel in WITH_PRIMARY
        and keeps_primary(integration)
        and not await integrations.has_primary(tx, scope, integration.channel)
    )


def _check(integration: Integration, world: World) -> None:
    provider = registry.find(integration.provider_id)
    if provider is not None:
        check(
            provider.credentials,
            integration.credentials,
            integration.active,
            world.allowed_references,
        )


def _merged(before: Integration, given: dict[str, Any]) -> dict[str, Any]:
    merged = dict(given)
    if "name" in given:
        merged["name"] = _named(given["name"])
    if "identifier" in given:
        merged["identifier"] = _identified(given["identifier"])
    if "conditions" in given:
        merged["conditions"] = _storable(given["conditions"])
    if "credentials" in given:
        provider = registry.find(before.provider_id)
        secrets = secret_names(provider.credentials if provider else ())
        merged["credentials"] = unmasked(
            _trimmed(given["credentials"]), before.credentials, secrets, "credentials"
        )
    if "configurations" in given:
        merged["configurations"] = _configured(given["configurations"], before.configurations)
    return merged


def _configured(given: Configurations, before: Configurations) -> Configurations:
    values = unmasked(
        msgspec.to_builtins(given), msgspec.to_builtins(before), _SIGNING_KEY, "configurations"
    )
    return msgspec.convert(values, Configurations)


def _trimmed(credentials: Mapping[str, Any]) -> dict[str, Any]:
    """Without the blanks that come along when a key is copied, and without empty fields."""
    trimmed = {
        name: value.strip() if isinstance(value, str) else value
        for name, value in credentials.items()
    }
    return {name: value for name, value in trimmed.items() if value != ""}


def _named(name: str) -> str:
    if not 0 < len(name.strip()) <= 256 or not name.isprintable():
        raise InvalidError.of("name", "must have 1 to 256 printable characters", name)
    return name.strip()


def _identified(identifier: str) -> str:
    if not _IDENTIFIER.fullmatch(identifier):
        raise InvalidError.of(
            "identifier",
            "must begin with a letter or digit and have letters, digits, dots, colons, hyphens "
            "and underscores only, at most 128",
            identifier,
        )
    return identifier


def _storable(conditions: tuple[StepFilter, ...]) -> tuple[StepFilter, ...]:
    parts = [part for each in conditions for part in each.children]
    if any("\0" in part.field + part.value for part in parts):
        raise InvalidError.of("conditions", "must not hold null characters")
    return conditions


def _made_identifier(name: str, world: World) -> str:
    return f"{slugify(name)[:100] or 'integration'}-{world.ids.secret(4)}"
