"""Who changed what, when, and in which environment."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Names are kept as they were: the entry outlives what it speaks of."""

    id: str
    organization_id: str
    environment_id: str | None
    environment_name: str | None
    user_id: str | None
    user_name: str
    action: str
    """Kind and verb, such as `topic.create`."""
    target_id: str | None
    target_name: str | None
    details: Mapping[str, Any] = {}
    address: str
    created_at: datetime


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """None lets everything pass."""

    user_id: str | None = None
    environment_id: str | None = None
    action: str | None = None
