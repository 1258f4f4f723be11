"""What the engine looks up again and again, kept until somebody changes it."""

import msgspec

from tidings.domain.environments import Environment
from tidings.domain.errors import NotFoundError
from tidings.domain.integrations import Integration
from tidings.domain.layouts import Layout
from tidings.domain.scope import Scope
from tidings.engine.blueprint import Blueprint
from tidings.storage import environments, integrations, layouts, workflow_versions
from tidings.storage.changes import Listener
from tidings.storage.database import Connection
from tidings.storage.secrets import Sealer

_MOST_BLUEPRINTS = 2000


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What every run of one environment shares."""

    environment: Environment
    integrations: list[Integration]
    layouts: list[Layout]


class Catalog:
    """Definitions never change, since a version is kept as it was saved; the rest is forgotten
    when a change is announced, and not kept at all while changes cannot be heard."""

    def __init__(self, listener: Listener, sealer: Sealer) -> None:
        self._listener = listener
        self._sealer = sealer
        self._blueprints: dict[tuple[str, int], Blueprint] = {}
        self._surroundings: dict[str, Surroundings] = {}
        for topic in ("integrations", "workflows", "layouts", "environments"):
            listener.on(topic, self._forget)

    def _forget(self) -> None:
        self._surroundings = {}

    async def blueprint(
        self, connection: Connection, scope: Scope, workflow_id: str, version: int
    ) -> Blueprint | None:
        key = (workflow_id, version)
        if key not in self._blueprints:
            if len(self._blueprints) >= _MOST_BLUEPRINTS:
                self._blueprints.pop(next(iter(self._blueprints)))
            try:
                found = await workflow_versions.get(connection, scope, workflow_id, version)
            except NotFoundError:
                return None
            if found.definition is None:
                return None
            self._blueprints[key] = Blueprint(found.definition)
        return self._blueprints[key]

    async def surroundings(self, connection: Connection, scope: Scope) -> Surroundings:
        known = self._surroundings
        found = known.get(scope.environment_id) if self._listener.hearing else None
        if found is None:
            found = known[scope.environment_id] = Surroundings(
                environment=await environments.get(connection, scope, scope.environment_id),
                integrations=await integrations.all_of(connection, scope, self._sealer, True),
                layouts=await layouts.all_of(connection, scope),
            )
        return found
