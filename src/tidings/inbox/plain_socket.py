"""A plain websocket: text frames `{"event": ..., "data": ...}`, for clients without socket.io."""

import asyncio
import contextlib
from typing import Any
from urllib.parse import parse_qs

from litestar.types import Receive, Scope, Send

from tidings.inbox.live import Live
from tidings.inbox.mailbox import Ended, Mailbox
from tidings.inbox.news import News
from tidings.storage.database import AWAY

UNPROVEN = 4401
STOPPING = 1012
LATER = 1013
REFUSED = "The token is not valid or has run out; POST /v1/inbox/session gives a new one."
_ENDED: dict[Ended, tuple[int, str]] = {
    "expired": (UNPROVEN, "The token has run out."),
    "stopped": (STOPPING, "The service restarts."),
}


class PlainSocket:
    """The application behind the address."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (await receive())["type"] != "websocket.connect":
            return
        await _send(send, {"type": "websocket.accept"})
        try:
            mailbox = await self._join(token_in(scope))
        except AWAY:
            await _close(send, LATER, "The service cannot reach its database. Try again soon.")
            return
        if mailbox is None:
            await _close(send, UNPROVEN, REFUSED)
            return
        writing = asyncio.create_task(_write(mailbox, send))
        try:
            await _read(receive, send)
        finally:
            self._live.leave(mailbox)
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _join(self, token: str) -> Mailbox | None:
        visitor = await self._live.tokens.visitor(token)
        if visitor is None:
            return None
        mailbox = Mailbox(visitor, token)
        await self._live.join(mailbox)
        return mailbox


def token_in(scope: Scope) -> str:
    """Browsers cannot send headers with a websocket, so the token comes in the query."""
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]


async def _read(receive: Receive, send: Send) -> None:
    """Answer signs of life until the client leaves."""
    while True:
        message: Any = await receive()
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") == "ping":
            await _send(send, {"type": "websocket.send", "text": "pong"})


async def _write(mailbox: Mailbox, send: Send) -> None:
    while mailbox.ended is None:
        for news in await mailbox.take():
            await _send(send, {"type": "websocket.send", "text": _frame(news)})
    await _close(send, *_ENDED[mailbox.ended])


def _frame(news: News) -> str:
    return f'{{"event":"{news.event}","data":{news.data}}}'


async def _close(send: Send, code: int, reason: str) -> None:
    await _send(send, {"type": "websocket.close", "code": code, "reason": reason})


async def _send(send: Send, message: Any) -> None:
    """A client that has left meanwhile is no fault; its reader notices."""
    with contextlib.suppress(OSError, RuntimeError):
        await send(message)
