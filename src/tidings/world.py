"""What an action needs from outside the database: time, chance, encryption keys, references."""

import msgspec

from tidings.clock import Clock
from tidings.ids import Ids
from tidings.storage.secrets import Sealer


class World(msgspec.Struct, frozen=True):
    clock: Clock
    ids: Ids
    sealer: Sealer
    allowed_references: tuple[str, ...] = ()
    """What credentials may refer to instead of holding it, as `env:NAME` or `file:PATH`."""
