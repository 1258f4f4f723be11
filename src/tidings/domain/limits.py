"""Limits that an operator may set."""

from datetime import timedelta

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    longest_wait: timedelta | None = None
    """How long a delay or a digest may take."""
    longest_throttle: timedelta | None = None
    """How long the window of a throttle may be."""
    kept_for: timedelta = timedelta(days=90)
    """How long finished events, notifications and messages are kept."""
    in_app_kept_for: timedelta = timedelta(days=365)
    """How long in-app messages are."""
    send_concurrency: int = 50
    """How many messages one process sends through one integration at the same time."""
    send_rate: float | None = None
    """How many messages per second all processes send through one integration."""
