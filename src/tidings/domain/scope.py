"""Whose data a question may touch."""

import msgspec


class Scope(msgspec.Struct, frozen=True):
    """One environment of one organization: the first thing every query is told."""

    organization_id: str
    environment_id: str
