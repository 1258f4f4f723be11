"""What one connected inbox has still to be told: bounded, so that a slow client costs little."""

import asyncio
from collections import deque
from typing import Literal

from tidings.inbox.news import News
from tidings.inbox.tokens import Visitor

_MOST_WAITING = 100

Ended = Literal["expired", "stopped"]


class Mailbox:
    """A line whose client takes the news out by itself."""

    def __init__(self, visitor: Visitor, token: str) -> None:
        self.visitor = visitor
        self.token = token
        self.ended: Ended | None = None
        self._waiting: deque[News] = deque()
        self._ready = asyncio.Event()

    async def tell(self, news: News) -> bool:
        if len(self._waiting) >= _MOST_WAITING:
            return False
        self._waiting.append(news)
        self._ready.set()
        return True

    async def hang_up(self) -> None:
        self._end("expired")

    async def stop(self) -> None:
        self._end("stopped")

    async def take(self, patience: float | None = None) -> list[News]:
        """What waits; nothing after that many seconds, or when the line has `ended`."""
        try:
            async with asyncio.timeout(patience):
                await self._ready.wait()
        except TimeoutError:
            return []
        taken = list(self._waiting)
        self._waiting.clear()
        if self.ended is None:
            self._ready.clear()
        return taken

    def _end(self, how: Ended) -> None:
        self.ended = self.ended or how
        self._ready.set()
