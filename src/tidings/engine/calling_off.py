"""Messages that stand in line when their event is called off are not sent any more."""

import asyncio

from tidings.engine.run import Run
from tidings.storage import cancellation
from tidings.storage.changes import Listener
from tidings.storage.database import AWAY, Database


class CalledOff:
    """Asks only about events that were looked at before the last cancellation, and while
    cancellations cannot be heard."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self._database = database
        self._listener = listener
        self._asking = asyncio.Lock()
        self._found: dict[str, bool] = {}
        self.heard = 0
        """How many cancellations, of whatever event."""
        listener.on(cancellation.CHANGED, self._hear)

    def _hear(self) -> None:
        self.heard += 1
        self._found = {}

    async def includes(self, run: Run) -> bool:
        """With the database away nobody knows, and the message goes out as it would have."""
        if run.live_as_of == self.heard and self._listener.hearing:
            return False
        id = run.event.id
        try:
            async with self._asking:
                found = self._found
                if id not in found or not self._listener.hearing:
                    async with self._database.connection() as connection:
                        found[id] = await cancellation.is_called_off(connection, id)
                return found[id]
        except AWAY:
            return False
