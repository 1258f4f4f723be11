"""API keys: what we remember of a key we do not keep."""

import hashlib
from datetime import datetime

import msgspec

from tidings.domain.scope import Scope


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    scope: Scope
    name: str
    hint: str
    """The last four characters, enough to tell one's keys apart."""
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


def digest(key: str) -> bytes:
    """All that is stored of a key. Keys are 256 random bits, so one round of SHA-256 is enough."""
    return hashlib.sha256(key.encode()).digest()
