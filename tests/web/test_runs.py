"""What a trigger's page shows while the engine is at work."""

from typing import Any

import pytest

from tests.browser.conftest import session_of
from tests.conftest import caller_of
from tests.doors import open_doors
from tests.records import Records
from tidings.api.door import Parts
from tidings.domain.scope import Scope
from tidings.storage import environments, triggered
from tidings.storage.database import Database
from tidings.world import World


async def test_a_run_that_begins_while_its_trigger_is_looked_at_is_shown(
    parts: Parts, database: Database, scope: Scope, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = Records(database, scope, world)
    workflow = await records.workflow()
    subscriber_id = await records.subscriber()
    find = triggered.find

    async def find_after_the_engine(*arguments: Any) -> Any:
        await records.run(workflow, subscriber_id, ["completed", "completed"], transaction_id="one")
        return await find(*arguments)

    monkeypatch.setattr(triggered, "find", find_after_the_engine)
    async with database.connection() as connection:
        environment = await environments.get(connection, scope, scope.environment_id)
    async with caller_of(open_doors(parts), None) as client:
        client.cookies.set("tidings_session", await session_of(database, "viewer"))
        path = f"/dashboard/{environment.identifier}/activity/transaction?id=one"
        answer = await client.get(path)
    assert answer.status_code == 303
    assert "/activity/" in answer.headers["location"]
