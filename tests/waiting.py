"""Waiting for something to become true, with a deadline instead of luck."""

import asyncio
import time
from collections.abc import Awaitable, Callable

DEADLINE = 30.0


def until(condition: Callable[[], object], seconds: float = DEADLINE) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


async def until_async(
    condition: Callable[[], Awaitable[object]], seconds: float = DEADLINE
) -> None:
    deadline = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)
