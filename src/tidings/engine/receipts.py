"""Fetches receipts from vendors that keep them instead of reporting: a while after the send."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from tidings import metrics
from tidings.domain.messages import Message
from tidings.domain.scope import Scope
from tidings.providers import registry
from tidings.providers.delivery import Network, fetch_receipts
from tidings.storage import credentials, deliveries, integrations, receipts
from tidings.storage.database import Connection, Database
from tidings.storage.deliveries import Source
from tidings.world import World


async def expect(tx: Connection, sent: Iterable[tuple[Scope, Message]], now: datetime) -> None:
    """Remember to ask for the receipts of these messages, where the vendor keeps any."""
    awaited = []
    for scope, message in sent:
        if message.channel != "push" or message.status != "sent":
            continue
        provider = registry.find(message.provider_id or "")
        if provider and provider.receipt_after and message.provider_message_id:
            awaited.append((scope, message, now + provider.receipt_after))
    if awaited:
        await receipts.expect(tx, awaited, now)


async def collect(database: Database, world: World, network: Network) -> None:
    async with database.transaction() as tx:
        due = await receipts.take_due(tx, world.clock.now())
    for source, ids in due.items():
        await _ask(database, world, network, source, ids)


async def _ask(
    database: Database, world: World, network: Network, source: Source, ids: Sequence[str]
) -> None:
    provider = registry.find(source.provider_id)
    async with database.connection() as connection:
        integration = await integrations.find(
            connection, source.scope, world.sealer, source.integration_id
        )
    if provider is None or integration is None:
        return
    now = world.clock.now()
    events = await fetch_receipts(provider, integration.credentials, ids, network)
    async with database.transaction() as tx:
        noting = await deliveries.record(tx, source, events, world.ids.new, now)
        await receipts.forget(tx, source.integration_id, [event.message_id for event in events])
        for message, change in noting.changes:
            if change.raw["happened"] == "bounced":
                for token in message.address.get("deviceTokens", ()):
                    await credentials.remove_token(
                        tx, message.subscriber_id, source.integration_id, token
                    )
    metrics.count_delivery_events(source.provider_id, "noted", len(noting.changes))
