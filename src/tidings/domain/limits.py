"""Limits that an operator may set."""

from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property

import msgspec


class Pace(msgspec.Struct, frozen=True):
    """How fast messages may go through an integration; None: no limit."""

    rate: float | None = None
    """Messages per second, of all processes together."""
    concurrency: int | None = None
    """Messages at the same time, of all processes together."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    longest_wait: timedelta | None = None
    """How long a delay or a digest may take."""
    longest_throttle: timedelta | None = None
    """How long the window of a throttle may be."""
    kept_for: timedelta = timedelta(days=90)
    """How long finished events, notifications and messages are kept."""
    in_app_kept_for: timedelta = timedelta(days=365)
    """How long in-app messages are."""
    send_concurrency: int = 50
    """How many messages all processes send through one integration at the same time."""
    send_rate: float | None = None
    """How many messages per second all processes send through one integration."""
    send_limits: Mapping[str, Pace] = {}
    """The same for integrations with this identifier, or else of this provider."""

    def pace(self, identifier: str, provider_id: str) -> Pace:
        """What holds for one integration: its own limits, its provider's, then the general ones."""
        general = Pace(self.send_rate, self.send_concurrency)
        own = [found for name in (identifier, provider_id) if (found := self.send_limits.get(name))]
        layers = [*own, general]
        return Pace(
            next((each.rate for each in layers if each.rate is not None), None),
            next((each.concurrency for each in layers if each.concurrency is not None), None),
        )

    @cached_property
    def has_rates(self) -> bool:
        return self.send_rate is not None or any(
            each.rate is not None for each in self.send_limits.values()
        )
