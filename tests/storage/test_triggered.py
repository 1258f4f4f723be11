"""Triggers as a whole, and those that reached nobody."""

from datetime import timedelta

from tests.records import Records
from tidings.actions import subscribers, subscriptions, topics
from tidings.domain.explaining import unheard
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile
from tidings.domain.topics import Wanted
from tidings.storage import triggered
from tidings.storage.database import Database
from tidings.world import World


async def test_a_trigger_is_found_in_its_environment_only(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    records = Records(database, scope, world)
    workflow = await records.workflow()
    event_id = await records.event(workflow, "t", payload={"n": 7})
    async with database.connection() as connection:
        found = await triggered.find(connection, scope, "t")
        assert found is not None
        assert found.event.id == event_id
        assert found.event.payload == {"n": 7}
        assert found.workflow is not None
        assert found.workflow.key == "welcome"
        assert not found.reached
        assert await triggered.find(connection, other_scope, "t") is None
        assert await triggered.find(connection, scope, "u") is None


async def test_those_that_reached_nobody_are_listed_with_the_reason(
    database: Database, scope: Scope, other_scope: Scope, world: World
) -> None:
    records = Records(database, scope, world)
    workflow = await records.workflow()
    subscriber_id = await records.subscriber()
    now = world.clock.now()
    heard = await records.event(workflow, "heard")
    await records.notification(workflow, subscriber_id, "heard", heard)
    old = now - timedelta(days=2)
    await records.event(workflow, "old", created_at=old)
    await records.event(workflow, "all")
    await records.event(workflow, "stopped", canceled_at=now)
    await records.event(workflow, "waits", status="accepted")
    await records.event(workflow, "broke", status="failed")
    await records.event(workflow, "topic", recipients={"topics": [{"key": "void"}]})
    await records.event(workflow, "gone", recipients={"subscribers": [{"subscriberId": "ada"}]})
    async with database.connection() as connection:
        found = await triggered.unheard(connection, scope, now - timedelta(days=1), 50)
        assert not await triggered.unheard(connection, other_scope, old, 50)
        assert len(await triggered.unheard(connection, scope, now - timedelta(days=1), 2)) == 2
    assert [(each.event.transaction_id, unheard(each, {})) for each in found] == [
        ("gone", "The version of the workflow that it named is gone."),
        ("topic", "There is no topic 'void'."),
        ("broke", "The service failed on it; the server's log tells more under event_failed."),
        ("waits", "It waits for the engine, which has not come to it yet."),
        ("stopped", "It was canceled before anybody was notified."),
        ("all", "It was for everyone, and there was no subscriber."),
    ]
    assert unheard(found[1], {"void": False}) == "Nobody is subscribed to the topic 'void'."
    assert "nobody was left" in unheard(found[1], {"void": True})


async def test_topics_are_known_with_whether_anybody_is_in_them(
    database: Database, scope: Scope, world: World
) -> None:
    async with database.transaction() as tx:
        for key in ("empty", "full"):
            await topics.create(tx, scope, world, key, None)
        await subscribers.create_or_update(tx, scope, world, Profile(key="ada"))
        await subscriptions.add(tx, scope, world, "full", [Wanted("ada")])
        found = await triggered.topics_with_members(tx, scope, ["empty", "full", "none"])
    assert found == {"empty": False, "full": True}
