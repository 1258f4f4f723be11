"""Tells connected inboxes what happens, whichever way they are connected.

Changes are heard from the database, gathered while the last ones are being told, and asked about
together: one query for the counts of all subscribers concerned, one for the messages. Counts are
absolute, so it does not matter if a client misses some of them.
"""

import asyncio
from typing import Protocol

from tidings import log
from tidings.domain.scope import Scope
from tidings.inbox import news
from tidings.inbox.news import News
from tidings.inbox.presence import BEAT_SECONDS, Presence
from tidings.inbox.tokens import Tokens, Visitor
from tidings.storage import inbox, inbox_changes, inbox_counts, signing_keys
from tidings.storage.changes import Listener
from tidings.storage.database import Connection, Database
from tidings.world import World

_PAUSE_SECONDS = 0.02
"""After telling; what happens meanwhile is told together."""
_TICK_SECONDS = 1.0
_AT_ONCE = 500
_MOST_MESSAGES = 50
"""Of one subscriber at once; a longer burst shows in the counts and in the list."""

Waiting = dict[str, dict[str, None]]
"""Subscribers of whom something is to be told, each with the messages that arrived, in order."""

_log = log.get("inbox")


class Line(Protocol):
    """One connected inbox."""

    @property
    def visitor(self) -> Visitor: ...

    @property
    def token(self) -> str: ...

    async def tell(self, news: News) -> bool:
        """Never waits for the client; False when it has not taken what it was told before."""

    async def hang_up(self) -> None:
        """The token is not good any more."""

    async def stop(self) -> None:
        """The service stops; the client may come back at once."""


class Live:
    """The inboxes that are connected to this process."""

    def __init__(
        self, database: Database, world: World, listener: Listener, tokens: Tokens
    ) -> None:
        self.tokens = tokens
        self._database = database
        self._world = world
        self._listener = listener
        self._presence = Presence(database, world)
        self._lines: dict[str, set[Line]] = {}
        self._environments: dict[str, Scope] = {}
        self._waiting: Waiting = {}
        self._uncounted: set[Line] = set()
        self._behind: set[Line] = set()
        self._wake = asyncio.Event()
        self._keys_changed = False
        self._stopped = False
        self._tasks: list[asyncio.Task[None]] = []
        listener.on(signing_keys.CHANGED, self._doubt)

    async def start(self) -> None:
        await self._listener.hear(inbox_changes.CHANNEL, self._hear, self._missed)
        self._tasks = [asyncio.create_task(self._telling()), asyncio.create_task(self._ticking())]

    async def stop(self) -> None:
        """End what would not end by itself, and say that nobody is here any more."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for line in self._everyone():
            await line.stop()
        try:
            await self._presence.leave()
        except Exception as error:
            _log.warning("presence_not_noted", reason=str(error))

    async def join(self, line: Line) -> None:
        """The line is told the counts now, and everything that happens from now on."""
        await self._presence.enter()
        visitor = line.visitor
        lines = self._lines.setdefault(visitor.subscriber_id, set())
        if not lines:
            self._presence.come(visitor.subscriber_id)
        lines.add(line)
        self._environments[visitor.scope.environment_id] = visitor.scope
        self._uncounted.add(line)
        self._wake.set()
        if self._stopped:
            await line.stop()

    def leave(self, line: Line) -> None:
        """Harmless when the line has left before."""
        id = line.visitor.subscriber_id
        lines = self._lines.get(id, set())
        for lines_with_it in (lines, self._uncounted, self._behind):
            lines_with_it.discard(line)
        if not lines and self._lines.pop(id, None) is not None:
            self._presence.go(id)

    async def missed(self, visitor: Visitor, since: str) -> list[News]:
        """What arrived since an event that a client had, oldest first."""
        moment = news.moment_of(since)
        if moment is None:
            return []
        async with self._database.connection() as connection:
            found = await inbox.received_since(
                connection,
                visitor.scope,
                visitor.subscriber_id,
                moment - news.OVERLAP,
                news.MOST_MISSED,
            )
        return [news.received(each, visitor.scope) for each in found]

    def _hear(self, payload: str) -> None:
        if inbox_changes.environment_of(payload) not in self._environments:
            return
        for change in inbox_changes.read(payload):
            if change.subscriber_id in self._lines:
                self._notice(change.subscriber_id, change.message_id)

    def _missed(self) -> None:
        """Announcements may have gone by unheard: everyone gets fresh counts."""
        for id in self._lines:
            self._notice(id)

    def _doubt(self) -> None:
        self._keys_changed = True

    def _notice(self, subscriber_id: str, message_id: str | None = None) -> None:
        ids = self._waiting.setdefault(subscriber_id, {})
        if message_id is not None:
            ids[message_id] = None
        self._wake.set()

    async def _telling(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            waiting, self._waiting = self._waiting, {}
            uncounted, self._uncounted = self._uncounted, set()
            try:
                await self._tell(waiting, uncounted)
            except Exception as error:
                _log.warning("inboxes_not_told", reason=str(error) or type(error).__name__)
                await asyncio.sleep(_TICK_SECONDS)
                for id, ids in waiting.items():
                    self._waiting[id] = {**ids, **self._waiting.get(id, {})}
                self._uncounted |= uncounted
                self._wake.set()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _tell(self, waiting: Waiting, uncounted: set[Line]) -> None:
        """Everything to all lines of those who have something waiting, the counts to the rest."""
        everyone = dict.fromkeys([*waiting, *(line.visitor.subscriber_id for line in uncounted)])
        present = [id for id in everyone if id in self._lines]
        self._behind -= uncounted
        for start in range(0, len(present), _AT_ONCE):
            some = present[start : start + _AT_ONCE]
            async with self._database.connection() as connection:
                for id, told in (await self._arrived(connection, waiting, some)).items():
                    await self._tell_lines(self._lines.get(id, set()), told)
                    waiting[id] = {}
                for id, counts in (await inbox_counts.of(connection, some)).items():
                    lines = self._lines.get(id, set())
                    concerned = lines if id in waiting else lines & uncounted
                    await self._tell_lines(concerned, news.counted(counts))

    async def _tell_lines(self, lines: set[Line], told: list[News]) -> None:
        for line in tuple(lines):
            for each in told:
                if not await line.tell(each):
                    self._behind.add(line)

    async def _arrived(
        self, connection: Connection, waiting: Waiting, some: list[str]
    ) -> dict[str, list[News]]:
        """By subscriber, as the messages themselves name it."""
        wanted: dict[Scope, list[str]] = {}
        for id in some:
            line = next(iter(self._lines.get(id, ())), None)
            if line is not None and waiting.get(id):
                newest = list(waiting[id])[-_MOST_MESSAGES:]
                wanted.setdefault(line.visitor.scope, []).extend(newest)
        arrived: dict[str, list[News]] = {}
        for scope, ids in wanted.items():
            for each in await inbox.received(connection, scope, ids):
                told = arrived.setdefault(each.reader.id, [])
                told.append(news.received(each, scope))
        return arrived

    async def _ticking(self) -> None:
        beat_at = 0.0
        loop = asyncio.get_running_loop()
        while True:
            try:
                if loop.time() >= beat_at:
                    beat_at = loop.time() + BEAT_SECONDS
                    await self._presence.beat()
                await self._presence.note()
                await self._end_expired()
                if self._behind:
                    self._uncounted |= self._behind
                    self._wake.set()
            except Exception as error:
                _log.warning("presence_not_noted", reason=str(error) or type(error).__name__)
            await asyncio.sleep(_TICK_SECONDS)

    async def _end_expired(self) -> None:
        doubtful = self._keys_changed and self._listener.hearing
        now = self._world.clock.now()
        for line in self._everyone():
            if line.visitor.expires_at <= now or (
                doubtful and await self.tokens.visitor(line.token) is None
            ):
                self.leave(line)
                await line.hang_up()
        if doubtful:
            self._keys_changed = False

    def _everyone(self) -> list[Line]:
        return [line for lines in self._lines.values() for line in lines]
