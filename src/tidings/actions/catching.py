"""Removing caught messages."""

from tidings.domain.scope import Scope
from tidings.storage import catching
from tidings.storage.database import Connection
from tidings.world import World


async def remove(tx: Connection, scope: Scope, world: World, filter: catching.Filter) -> None:
    """Those that match; there need not be any."""
    await catching.remove(tx, scope, filter)
