"""How well integrations do."""

from datetime import timedelta

from tests.seeds import add_integration
from tidings.domain.scope import Scope
from tidings.storage import figures
from tidings.storage.database import Database
from tidings.world import World


async def send(
    database: Database, scope: Scope, world: World, integration_id: str, error: str | None = None
) -> None:
    async with database.transaction() as tx:
        await tx.execute(
            "INSERT INTO messages (id, organization_id, environment_id, notification_id, job_id, "
            "event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, status, "
            "integration_id, error_text, content, created_at, updated_at) VALUES ($1, $2, $3, $1, "
            "$1, $1, $1, 'w', 's', 'x', 'push', $4, $5, $6, '{}', $7, $7)",
            *(world.ids.new(), scope.organization_id, scope.environment_id),
            *("error" if error else "sent", integration_id, error, world.clock.now()),
        )


async def test_health_is_told_for_each_integration(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    well = await add_integration(database, scope, "fcm")
    ill = await add_integration(database, scope, "expo")
    elsewhere = await add_integration(database, other_scope, "apns")
    for _ in range(20):
        await send(database, scope, world, well)
    await send(database, scope, world, well, "once")
    for error in (None, "first", "last"):
        await send(database, scope, world, ill, error)
    await send(database, other_scope, world, elsewhere, "not ours")
    since = world.clock.now() - timedelta(days=1)
    async with database.connection() as connection:
        found = await figures.healths(connection, scope, since)
        failed = await figures.failures(connection, scope, "push", ill, 10)
        newest = await figures.failures(connection, scope, "push", ill, 1)
        foreign = await figures.failures(connection, scope, "push", elsewhere, 10)
    assert found.keys() == {well, ill}
    assert (found[well].sent, found[well].failed, found[well].troubled) == (20, 1, False)
    assert (found[ill].sent, found[ill].failed, found[ill].troubled) == (1, 2, True)
    assert found[ill].last_error == "last"
    assert [each.error_text for each in failed] == ["last", "first"]
    assert newest == failed[:1]
    assert foreign == []
