"""On whose behalf a request acts; a door says who, the unit of work and the handlers ask."""

import msgspec

from tidings.domain.scope import Scope


class Caller(msgspec.Struct, frozen=True):
    key_id: str
    scope: Scope
