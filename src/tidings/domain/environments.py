"""Environments: separate worlds of one organization, each with its own keys and data."""

from datetime import datetime
from typing import Literal

import msgspec

Kind = Literal["dev", "prod"]

DEVELOPMENT = "Development"
PRODUCTION = "Production"


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    organization_id: str
    name: str
    identifier: str
    """Public name under which the inbox of this environment is opened."""
    kind: Kind | None
    parent_id: str | None
    color: str | None
    created_at: datetime
    updated_at: datetime
