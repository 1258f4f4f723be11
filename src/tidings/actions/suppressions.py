"""Taking addresses off the suppression list."""

from tidings.domain.channels import Channel
from tidings.domain.errors import NotFoundError
from tidings.domain.messages import canonical
from tidings.domain.scope import Scope
from tidings.storage import suppressions
from tidings.storage.database import Connection
from tidings.world import World


async def lift(tx: Connection, scope: Scope, world: World, channel: Channel, address: str) -> None:
    """From now on messages go to the address again."""
    if not await suppressions.remove(tx, scope, channel, canonical(address)):
        raise NotFoundError(
            f"{address!r} is not on the suppression list of {channel}.", address=address
        )
