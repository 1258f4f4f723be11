"""Waiting for something to become true, with a deadline instead of luck."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

DEADLINE = 30.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.2


def until(condition: Callable[[], object], seconds: float = DEADLINE) -> None:
    for pause in _pauses(seconds):
        if condition():
            return
        time.sleep(pause)


async def until_async(
    condition: Callable[[], Awaitable[object]], seconds: float = DEADLINE
) -> None:
    for pause in _pauses(seconds):
        if await condition():
            return
        await asyncio.sleep(pause)


def _pauses(seconds: float) -> Iterator[float]:
    """Longer and longer ones, so that who waits leaves the processor to whom it waits for."""
    deadline, pause = time.monotonic() + seconds, _FIRST_PAUSE
    while True:
        yield pause
        assert time.monotonic() < deadline, "it did not happen in time"
        pause = min(pause * 1.5, _LONGEST_PAUSE)
