"""Trying again what failed."""

from datetime import datetime

from tidings.domain.scope import Scope
from tidings.storage import notifications, replays
from tidings.storage.database import Connection
from tidings.storage.replays import Again
from tidings.world import World


async def replay(tx: Connection, scope: Scope, world: World, id: str) -> list[Again]:
    """The jobs of the notification that will be tried again."""
    await notifications.get(tx, scope, id)
    return await replays.of_notification(tx, scope, id, world.clock.now())


async def replay_transaction(
    tx: Connection, scope: Scope, world: World, transaction_id: str
) -> list[Again]:
    return await replays.of_transaction(tx, scope, transaction_id, world.clock.now())


async def replay_since(tx: Connection, scope: Scope, world: World, since: datetime) -> list[Again]:
    return await replays.since(tx, scope, since, world.clock.now())
