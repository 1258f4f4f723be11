"""Making, renaming and removing topics."""

from tidings.domain.scope import Scope
from tidings.domain.topics import Topic
from tidings.storage import topics
from tidings.storage.database import Connection
from tidings.world import World


async def create_or_rename(
    tx: Connection, scope: Scope, world: World, key: str, name: str | None
) -> Topic:
    return await topics.put(tx, scope, world.ids.new(), key, name, world.clock.now())


async def create(
    tx: Connection, scope: Scope, world: World, key: str, name: str | None
) -> tuple[Topic, bool]:
    """The topic with this key, and whether it is new; one that exists is left as it is."""
    made = await topics.add(tx, scope, world.ids.new(), key, name, world.clock.now())
    if made is not None:
        return made, True
    return await topics.get(tx, scope, key), False


async def rename(tx: Connection, scope: Scope, world: World, key: str, name: str) -> Topic:
    return await topics.rename(tx, scope, key, name, world.clock.now())


async def remove(tx: Connection, scope: Scope, world: World, key: str) -> None:
    await topics.remove(tx, scope, key)
