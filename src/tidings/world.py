"""What an action needs from outside the database: the time, chance and the encryption keys."""

import msgspec

from tidings.clock import Clock
from tidings.ids import Ids
from tidings.storage.secrets import Sealer


class World(msgspec.Struct, frozen=True):
    clock: Clock
    ids: Ids
    sealer: Sealer
