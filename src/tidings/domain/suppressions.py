"""Addresses that nothing is sent to any more, because they bounced or complained."""

from datetime import datetime

import msgspec

from tidings.domain.channels import Channel


class Suppression(msgspec.Struct, frozen=True, kw_only=True):
    channel: Channel
    address: str
    """As `messages.canonical` writes it."""
    reason: str
    """What was reported: `bounced` or `complained`."""
    detail: str = ""
    since: datetime
