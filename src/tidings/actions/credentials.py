"""Setting and removing a subscriber's channel credentials."""

from collections.abc import Callable, Sequence

from msgspec import UNSET

from tidings.domain import credentials
from tidings.domain.credentials import Changes, ChannelEntry
from tidings.domain.errors import RefusedError
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.storage import credentials as stored
from tidings.storage import subscribers
from tidings.storage.database import Connection
from tidings.world import World


async def update(
    tx: Connection,
    scope: Scope,
    world: World,
    key: str,
    provider_id: str,
    identifier: str | None,
    changes: Changes,
    *,
    unite: bool,
) -> Subscriber:
    """Merge into what is there; device tokens are replaced, or united with those there."""

    def merged(entries: Sequence[ChannelEntry], entry: ChannelEntry) -> list[ChannelEntry]:
        return credentials.set_entry(entries, entry, changes, unite=unite)

    return await _set(tx, scope, world, key, provider_id, identifier, merged)


async def replace(
    tx: Connection,
    scope: Scope,
    world: World,
    key: str,
    provider_id: str,
    identifier: str | None,
    given: Changes,
) -> Subscriber:
    """Put these in place of what is there."""

    def replaced(entries: Sequence[ChannelEntry], entry: ChannelEntry) -> list[ChannelEntry]:
        return credentials.replace_entry(entries, entry, given)

    return await _set(tx, scope, world, key, provider_id, identifier, replaced)


async def remove(tx: Connection, scope: Scope, world: World, key: str, provider_id: str) -> None:
    """Forget everything of that provider; that there is nothing is no error."""
    before = await subscribers.lock_channels(tx, scope, key)
    after = credentials.without(before, provider_id)
    if len(after) < len(before):
        await subscribers.set_channels(tx, scope, key, after, world.clock.now())


async def _set(
    tx: Connection,
    scope: Scope,
    world: World,
    key: str,
    provider_id: str,
    identifier: str | None,
    place: Callable[[Sequence[ChannelEntry], ChannelEntry], list[ChannelEntry]],
) -> Subscriber:
    entries = await subscribers.lock_channels(tx, scope, key)
    integration_id = await stored.integration_id(tx, scope, provider_id, identifier)
    if integration_id is None:
        raise _no_integration(provider_id, identifier)
    entry = ChannelEntry(
        provider_id=provider_id,
        integration_identifier=identifier or UNSET,
        credentials={},
        integration_id=integration_id,
    )
    return await subscribers.set_channels(tx, scope, key, place(entries, entry), world.clock.now())


def _no_integration(provider_id: str, identifier: str | None) -> RefusedError:
    if identifier is None:
        return RefusedError(
            f"This environment has no active integration of {provider_id}. Make one with "
            "POST /v1/integrations, or activate one.",
            providerId=provider_id,
        )
    return RefusedError(
        f"This environment has no integration {identifier!r} of {provider_id}. GET "
        "/v1/integrations lists those there are.",
        providerId=provider_id,
        integrationIdentifier=identifier,
    )
