"""Where time enters: a clock is made once and passed in, so that tests can move it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the present moment as an aware UTC datetime."""

    def now(self) -> datetime: ...

    def timestamp(self) -> float:
        """The same in seconds since 1970, which is quicker to tell."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def timestamp(self) -> float:
        return time.time()


class ManualClock:
    """A clock that stands still until it is moved: for tests and simulations."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def timestamp(self) -> float:
        return self._now.timestamp()

    def advance(self, step: timedelta) -> None:
        self._now += step
