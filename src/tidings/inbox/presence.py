"""Keeps the subscribers' `isOnline` true to the inboxes that are connected to this process."""

import asyncio
from datetime import timedelta

from tidings import log
from tidings.storage import presence
from tidings.storage.database import TROUBLE, Database
from tidings.world import World

BEAT_SECONDS = 5.0
DEAD_AFTER = timedelta(seconds=15)
_AT_ONCE = 1000

_log = log.get("inbox")


class Presence:
    """What is so (`_here`) is written down (`_noted`) in batches."""

    def __init__(self, database: Database, world: World) -> None:
        self._database = database
        self._world = world
        self._id = world.ids.new()
        self._entering = asyncio.Lock()
        self._entered = False
        self._here: set[str] = set()
        self._noted: set[str] = set()
        self._changed: set[str] = set()

    async def enter(self) -> None:
        """From here on this process hears of changes."""
        async with self._entering:
            if not self._entered:
                await self._enter()

    def come(self, subscriber_id: str) -> None:
        self._here.add(subscriber_id)
        self._changed.add(subscriber_id)

    def go(self, subscriber_id: str) -> None:
        self._here.discard(subscriber_id)
        self._changed.add(subscriber_id)

    async def note(self) -> None:
        """Write down who came and who went."""
        if not self._changed:
            return
        changed, self._changed = self._changed, set()
        came = sorted((changed & self._here) - self._noted)
        went = sorted(changed - self._here)  # also of those who came and went since the last note
        try:
            for some in _batches(came):
                async with self._database.transaction() as tx:
                    await presence.come(tx, self._id, some)
                self._noted.update(some)
            for some in _batches(went):
                async with self._database.transaction() as tx:
                    await presence.go(tx, self._id, some, self._world.clock.now())
                self._noted.difference_update(some)
        except BaseException:
            self._changed |= changed
            raise

    async def beat(self) -> None:
        """Show that this process is alive, or leave when it holds no inbox; see to the dead."""
        async with self._entering:
            if self._entered and not (self._here or self._changed):
                await self._leave()
            elif self._entered:
                async with self._database.connection() as connection:
                    alive = await presence.beat(connection, self._id, self._world.clock.now())
                if not alive:
                    _log.warning("inbox_process_was_given_up", reason="no heartbeat for a while")
                    await self._enter()
        await self._bury()

    async def leave(self) -> None:
        """Nobody is here any more."""
        async with self._entering:
            if self._entered:
                await self._leave()

    async def _enter(self) -> None:
        async with self._database.transaction() as tx:
            await presence.enter(tx, self._id, self._world.clock.now())
        self._entered = True
        self._noted = set()
        self._changed |= self._here

    async def _leave(self) -> None:
        async with self._database.transaction() as tx:
            await presence.leave(tx, self._id, self._world.clock.now())
        self._entered = False
        self._noted = set()

    async def _bury(self) -> None:
        async with self._database.connection() as connection:
            dead = await presence.dead(connection, self._world.clock.now() - DEAD_AFTER)
        for id, seen_at in dead:
            try:
                async with self._database.transaction() as tx:
                    await presence.leave(tx, id, seen_at)
            except TROUBLE as error:
                _log.warning("inbox_process_not_buried", reason=str(error))


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE)]
