from datetime import timedelta

from tests.engine.conftest import Engine
from tidings.actions import inbox as actions
from tidings.domain.inbox import Filter, InboxMessage
from tidings.storage import inbox, subscribers


async def one(engine: Engine, **filter: bool) -> InboxMessage:
    async with engine.database.connection() as connection:
        id = await subscribers.id_of(connection, engine.scope, "ada")
        page = await inbox.page(connection, engine.scope, id, Filter(**filter), 10)  # type: ignore[arg-type]
    (message,) = page.items
    return message


async def delivered(engine: Engine) -> InboxMessage:
    workflow = await engine.workflow(("in_app", {"body": "Hello"}))
    await engine.trigger(workflow)
    await engine.work()
    return await one(engine)


async def snooze(engine: Engine, id: str, **span: float) -> None:
    async with engine.database.transaction() as tx:
        owner = await subscribers.id_of(tx, engine.scope, "ada")
        await actions.mark(tx, engine.scope, engine.world, owner, id, "archived")
        until = engine.clock.now() + timedelta(**span)
        await actions.snooze(tx, engine.scope, engine.world, owner, id, until)


async def test_a_snoozed_message_is_delivered_again_as_new(engine: Engine) -> None:
    first = await delivered(engine)
    await snooze(engine, first.id, hours=2)
    await engine.pass_time(hours=1, minutes=59)
    assert (await one(engine, snoozed=True)).id == first.id
    await engine.pass_time(minutes=1)
    again = await one(engine)
    assert (again.seen, again.read, again.archived) == (False, False, False)
    assert again.snoozed_until is None
    assert again.delivered_at == [*first.delivered_at, engine.clock.now()]
    assert again.created_at == engine.clock.now()
    await engine.pass_time(hours=1)
    assert await one(engine) == again


async def test_a_snooze_that_ended_while_nothing_ran_is_made_up_for(engine: Engine) -> None:
    first = await delivered(engine)
    await snooze(engine, first.id, minutes=5)
    await engine.pass_time(days=3)
    assert (await one(engine)).delivered_at[1] == engine.clock.now()


async def test_who_wakes_a_message_hears_of_it_no_second_time(engine: Engine) -> None:
    first = await delivered(engine)
    await snooze(engine, first.id, hours=1)
    async with engine.database.transaction() as tx:
        owner = await subscribers.id_of(tx, engine.scope, "ada")
        await actions.unsnooze(tx, engine.scope, engine.world, owner, first.id)
    await engine.pass_time(hours=2)
    assert (await one(engine)).delivered_at == first.delivered_at


async def test_more_snoozes_than_one_batch_end_together(engine: Engine) -> None:
    first = await delivered(engine)
    await engine.rows(
        "INSERT INTO messages (id, organization_id, environment_id, notification_id, job_id, "
        "event_id, transaction_id, workflow_id, step_id, subscriber_id, channel, status, content, "
        "snoozed_until, created_at, updated_at) SELECT 'copy' || n, organization_id, "
        "environment_id, notification_id, 'job' || n, event_id, transaction_id, workflow_id, "
        "step_id, subscriber_id, channel, status, content, $2, created_at, updated_at "
        "FROM messages, generate_series(1, 1100) AS n WHERE id = $1",
        first.id,
        engine.clock.now() + timedelta(minutes=1),
    )
    engine.clock.advance(timedelta(minutes=2))
    assert await engine.sweeper.end_snoozes() == 1100
    assert await engine.sweeper.end_snoozes() == 0
