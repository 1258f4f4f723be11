"""What an action needs from outside the database: the time, chance, the encryption keys and the
operator's limits."""

import msgspec

from tidings.clock import Clock
from tidings.domain.limits import Limits
from tidings.ids import Ids
from tidings.storage.secrets import Sealer


class World(msgspec.Struct, frozen=True):
    clock: Clock
    ids: Ids
    sealer: Sealer
    limits: Limits = Limits()
