"""Making, changing and removing subscribers."""

from collections.abc import Mapping, Sequence
from typing import Any

from tidings.domain.scope import Scope
from tidings.domain.subscribers import Outcome, Profile, Subscriber, once_each
from tidings.storage import subscribers
from tidings.storage.database import Connection
from tidings.world import World


async def create_or_update(
    tx: Connection, scope: Scope, world: World, profile: Profile
) -> Subscriber:
    return await subscribers.put(tx, scope, world.ids.new(), profile, world.clock.now())


async def create(
    tx: Connection, scope: Scope, world: World, profile: Profile
) -> tuple[Subscriber, bool]:
    """The subscriber with this key, and whether it is new; one that exists is left as it is."""
    made = await subscribers.add(tx, scope, world.ids.new(), profile, world.clock.now())
    if made is not None:
        return made, True
    existing = await subscribers.find(tx, scope, profile.key)
    if existing is None:  # removed by someone else between the two statements
        return await create_or_update(tx, scope, world, profile), True
    return existing, False


async def create_or_update_many(
    tx: Connection, scope: Scope, world: World, profiles: Sequence[Profile]
) -> list[Outcome]:
    """What became of each profile; the second one of the same key is an update."""
    distinct = once_each(profiles)
    ids = [world.ids.new() for _ in distinct]
    new = await subscribers.put_many(tx, scope, ids, distinct, world.clock.now())
    outcomes: list[Outcome] = []
    for profile in profiles:
        outcomes.append("created" if profile.key in new else "updated")
        new.discard(profile.key)
    return outcomes


async def change(
    tx: Connection, scope: Scope, world: World, key: str, values: Mapping[str, Any]
) -> Subscriber:
    """Set what is given; None clears."""
    if not values:
        return await subscribers.get(tx, scope, key)
    return await subscribers.change(tx, scope, key, values, world.clock.now())


async def set_online(
    tx: Connection, scope: Scope, world: World, key: str, online: bool
) -> Subscriber:
    return await subscribers.set_online(tx, scope, key, online, world.clock.now())


async def remove(tx: Connection, scope: Scope, world: World, key: str) -> None:
    await subscribers.remove(tx, scope, key)
