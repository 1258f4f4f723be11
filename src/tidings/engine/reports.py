"""Takes up reports that came before their message was saved."""

from tidings import metrics
from tidings.storage import deliveries
from tidings.storage.database import Database
from tidings.world import World


async def settle(database: Database, world: World) -> None:
    now = world.clock.now()
    async with database.transaction() as tx:
        for source, events in (await deliveries.take_arrived(tx, now)).items():
            noting = await deliveries.record(tx, source, events, world.ids.new, now)
            metrics.count_delivery_events(source.provider_id, "noted", len(noting.changes))
