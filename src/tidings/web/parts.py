"""What the dashboard is given to work with."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec
from litestar.di import NamedDependency

from tidings.actions.accepting import Accepter
from tidings.providers.delivery import Network
from tidings.settings import Settings
from tidings.storage.database import Connection, Database
from tidings.world import World


class QueueState(Protocol):
    @property
    def depth(self) -> int: ...
    @property
    def oldest_seconds(self) -> float: ...


class Parts(msgspec.Struct, frozen=True):
    """What the door is given."""

    settings: Settings
    world: World
    database: Database
    network: Network
    accepter: Accepter
    queue_state: Callable[[Connection], Awaitable[QueueState]]


InParts = NamedDependency[Parts]
"""`parts`: for handlers that look at the installation itself."""
