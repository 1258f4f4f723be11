"""The workflows that a process has asked for, kept until one of them changes anywhere."""

from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.storage import workflows
from tidings.storage.changes import Listener
from tidings.storage.database import Database

_MOST = 5000


class Catalog:
    """Empties itself when any workflow is saved, and remembers nothing while it cannot hear."""

    def __init__(self, database: Database, listener: Listener) -> None:
        self._database = database
        self._listener = listener
        self._known: dict[tuple[str, str], Workflow] = {}
        listener.on(workflows.CHANGED, self._forget)

    def _forget(self) -> None:
        self._known = {}

    async def find(self, scope: Scope, reference: str) -> Workflow | None:
        """By workflowId, then `_id`, then slug."""
        known = self._known
        place = (scope.environment_id, reference)
        workflow = known.get(place) if self._listener.hearing else None
        if workflow is None:
            async with self._database.connection() as connection:
                workflow = await workflows.find(connection, scope, reference)
            if workflow is not None and len(known) < _MOST:
                known[place] = workflow  # into the old dict, if it was emptied meanwhile
        return workflow
