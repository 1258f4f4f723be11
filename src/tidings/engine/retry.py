"""When a failed send is tried again, and which integrations are left alone for a while."""

import random
from datetime import datetime, timedelta

ATTEMPTS = 8
_PAUSES = (5, 15, 45, 120, 300, 600, 900)
_JITTER = 0.2
_LONGEST_PAUSE = 3600.0

_FAILURES_TO_OPEN = 5
_OPEN_FOR = timedelta(seconds=30)


def pause(attempts: int, retry_after: float | None) -> timedelta:
    """How long to wait after that many attempts: about half an hour in all, never less than the
    vendor asks for."""
    planned = _PAUSES[min(attempts, len(_PAUSES)) - 1]
    shaken = planned * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311
    return timedelta(seconds=max(shaken, min(retry_after or 0.0, _LONGEST_PAUSE)))


class Breaker:
    """Passes over integrations that have failed several times in a row, for a while."""

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}
        self._open_until: dict[str, datetime] = {}

    def is_open(self, integration_id: str, now: datetime) -> bool:
        until = self._open_until.get(integration_id)
        return until is not None and now < until

    def note(self, integration_id: str, worked: bool, now: datetime) -> None:
        if worked:
            self._failures.pop(integration_id, None)
            self._open_until.pop(integration_id, None)
            return
        count = self._failures[integration_id] = self._failures.get(integration_id, 0) + 1
        if count >= _FAILURES_TO_OPEN:
            self._open_until[integration_id] = now + _OPEN_FOR
