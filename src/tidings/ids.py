"""Where chance enters: identifiers and secrets, drawn from a clock and a source of random bytes."""

import os
from collections.abc import Callable

from tidings.clock import Clock
from tidings.domain.slugs import base62

KEY_PREFIX = "tdg_"
_TICKS = 1 << 24
"""Parts of a second."""
_CHANCE_BYTES = 5
_CHANCE_BITS = 8 * _CHANCE_BYTES
_DRAWN_AT_ONCE = 200


class Ids:
    """Makes identifiers of 24 hex characters that sort by the time they were made.

    Four bytes hold the second, three the fraction of it, five are random; identifiers made by one
    process within the same instant still ascend.
    """

    def __init__(self, clock: Clock, random_bytes: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._random_bytes = random_bytes
        self._chances: list[int] = []
        self._last = 0

    def new(self) -> str:
        if not self._chances:
            self._draw()
        ticks = int(self._clock.timestamp() * _TICKS)
        number = (ticks << _CHANCE_BITS) | self._chances.pop()
        self._last = number if number > self._last else self._last + 1
        return f"{self._last:024x}"

    def _draw(self) -> None:
        """For many identifiers at once: asking for random bytes costs as much as the rest."""
        drawn = self._random_bytes(_CHANCE_BYTES * _DRAWN_AT_ONCE)
        self._chances = [
            int.from_bytes(drawn[at : at + _CHANCE_BYTES], "big")
            for at in range(0, len(drawn), _CHANCE_BYTES)
        ]

    def api_key(self) -> str:
        """A key of 256 random bits behind a prefix that secret scanners can recognise."""
        return KEY_PREFIX + base62(self._random_bytes(32)).rjust(43, "0")

    def secret(self, size: int = 32) -> str:
        """Random bytes as hex, for secrets that people never type."""
        return self._random_bytes(size).hex()
