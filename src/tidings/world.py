"""What an action needs from outside the database: the time, chance, the encryption keys, and what
the operator allows."""

import msgspec

from tidings.clock import Clock
from tidings.domain.limits import Limits
from tidings.ids import Ids
from tidings.storage.secrets import Sealer


class World(msgspec.Struct, frozen=True):
    clock: Clock
    ids: Ids
    sealer: Sealer
    allowed_references: tuple[str, ...] = ()
    """What credentials may refer to instead of holding it, as `env:NAME` or `file:PATH`."""
    limits: Limits = Limits()
    catching: bool = False
    """Whether messages that no integration delivers are caught instead: in development."""
