"""What vendors report about messages they took: who says so, and what it changes."""

from collections.abc import Sequence

import msgspec

from tidings import metrics
from tidings.domain.deliveries import Event
from tidings.domain.errors import UnprovenError
from tidings.domain.integrations import Integration
from tidings.domain.scope import Scope
from tidings.providers.base import AnyProvider
from tidings.providers.delivery import Network
from tidings.providers.exchange import Response, Webhook, encode
from tidings.storage import deliveries
from tidings.storage.database import Connection
from tidings.storage.deliveries import Source
from tidings.world import World


class Noted(msgspec.Struct, frozen=True):
    """An event and the message it is about."""

    message_id: str
    event: Event


async def hear(
    provider: AnyProvider, webhook: Webhook, signing_key: str, network: Network
) -> list[Event] | Response:
    """What a vendor says, once it has proved to be the vendor; or the answer that a call wants
    which only makes sure of us. Opens no transaction, since it may call the vendor back."""
    answer = provider.answer_webhook(webhook, signing_key) if signing_key else None
    if answer is not None:
        return answer
    wanted = provider.needs(webhook) if signing_key else None
    if wanted is not None:
        fetched = await network.fetch(wanted, webhook.at)
        webhook = msgspec.structs.replace(webhook, fetched=fetched)
    if not signing_key or not provider.verify_webhook(webhook, signing_key):
        raise UnprovenError(
            f"The call does not bear the signature or secret of {provider.name}. "
            "inboundWebhookSigningKey of the integration must be the one that it uses."
        )
    if wanted is not None:
        network.keep(wanted, webhook.fetched, webhook.at)
    if (confirmation := provider.confirms(webhook)) is not None:
        await network.http.send(encode(confirmation))
    return provider.parse_webhook(webhook)


async def record(
    tx: Connection, scope: Scope, world: World, integration: Integration, events: Sequence[Event]
) -> list[Noted]:
    """Write down what concerns messages of ours. The rest is counted and kept for a while: a vendor
    may be faster than the transaction that saves what it took."""
    now, provider_id = world.clock.now(), integration.provider_id
    source = Source(scope, integration.id, provider_id)
    clean = [_storable(event) for event in events]
    noting = await deliveries.record(tx, source, clean, world.ids.new, now)
    await deliveries.keep(tx, source, noting.unknown, now)
    metrics.count_delivery_events(provider_id, "noted", len(noting.changes))
    metrics.count_delivery_events(provider_id, "repeated", noting.repeated)
    metrics.count_delivery_events(provider_id, "unknown", len(noting.unknown))
    return [Noted(message_id, event) for message_id, event in noting.known]


def _storable(event: Event) -> Event:
    """Without the one character that PostgreSQL cannot keep."""
    texts = {"message_id": event.message_id, "id": event.id, "target": event.target,
             "reason": event.reason}  # fmt: skip
    clean = {name: text and text.replace("\0", "") for name, text in texts.items()}
    return msgspec.structs.replace(event, **clean)
