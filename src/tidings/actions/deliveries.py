"""What vendors report about messages they took: who says so, and what it changes."""

from collections.abc import Sequence

import msgspec

from tidings import metrics
from tidings.domain import messages as rules
from tidings.domain.deliveries import Event
from tidings.domain.errors import UnprovenError
from tidings.domain.integrations import Integration
from tidings.domain.messages import Change, Message
from tidings.domain.notifications import Detail
from tidings.domain.scope import Scope
from tidings.domain.suppressions import Suppression
from tidings.providers.base import AnyProvider
from tidings.providers.delivery import Network
from tidings.providers.exchange import Response, Webhook, encode
from tidings.storage import messages, runs, suppressions
from tidings.storage.database import Connection
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
    if (wanted := provider.needs(webhook)) is not None:
        fetched = await network.http.send(encode(wanted))
        webhook = msgspec.structs.replace(webhook, fetched=fetched.body)
    if not signing_key or not provider.verify_webhook(webhook, signing_key):
        raise UnprovenError(
            f"The call does not bear the signature or secret of {provider.name}. "
            "inboundWebhookSigningKey of the integration must be the one that it uses."
        )
    if (confirmation := provider.confirms(webhook)) is not None:
        await network.http.send(encode(confirmation))
    return provider.parse_webhook(webhook)


async def record(
    tx: Connection, scope: Scope, world: World, integration: Integration, events: Sequence[Event]
) -> list[Noted]:
    """Write down what concerns messages of ours; the rest is only counted."""
    events = [_storable(event) for event in events]
    ids = sorted({event.message_id for event in events})
    known: dict[str, list[Message]] = {}
    for message in await messages.lock_reported(tx, scope, integration.id, ids):
        for id in {message.provider_message_id or message.id, message.id}:
            known.setdefault(id, []).append(message)
    job_ids = sorted({message.job_id for found in known.values() for message in found})
    noting = _Noting(world, integration, await runs.details_of(tx, job_ids))
    noted = []
    for event in events:
        found = known.get(event.message_id, [])
        noted += [Noted(message.id, event) for message in found]
        noting.note(event, found)
    await noting.save(tx, scope)
    return noted


def _storable(event: Event) -> Event:
    """Without the one character that PostgreSQL cannot keep."""
    texts = {"message_id": event.message_id, "id": event.id, "target": event.target,
             "reason": event.reason}  # fmt: skip
    clean = {name: text and text.replace("\0", "") for name, text in texts.items()}
    return msgspec.structs.replace(event, **clean)


class _Noting:
    """Gathers changes, to be written in sets."""

    def __init__(
        self, world: World, integration: Integration, proof: dict[str, tuple[Detail, ...]]
    ) -> None:
        self._world = world
        self._now = world.clock.now()
        self._integration = integration
        self._proof = proof
        self._added: dict[str, list[Detail]] = {}
        self._changes: list[tuple[Message, Change]] = []
        self._suppressed: list[Suppression] = []

    def note(self, event: Event, found: Sequence[Message]) -> None:
        for message in found:
            change = rules.apply(message, event, self._now)
            proof = (*self._proof.get(message.job_id, ()), *self._added.get(message.job_id, ()))
            if rules.is_noted(proof, change):
                self._count("repeated")
                continue
            self._count("noted")
            self._changes.append((message, change))
            self._added.setdefault(message.job_id, []).append(self._line(event, change))
            if change.suppressed is not None:
                self._suppressed.append(
                    Suppression(
                        channel=message.channel,
                        address=change.suppressed,
                        reason=event.happened,
                        detail=event.reason,
                        since=self._now,
                    )
                )
        if not found:
            self._count("unknown")

    def _count(self, result: str) -> None:
        metrics.count_delivery_event(self._integration.provider_id, result)

    def _line(self, event: Event, change: Change) -> Detail:
        return Detail(
            id=self._world.ids.new(),
            at=self._now,
            status=change.status,
            detail=change.detail,
            reason="delivery",
            source="Webhook",
            provider_id=self._integration.provider_id,
            raw=change.raw,
        )

    async def save(self, tx: Connection, scope: Scope) -> None:
        if not self._changes:
            return
        await messages.note_reports(tx, self._changes, self._now)
        await runs.add_details(tx, self._added, self._now)
        await suppressions.add(tx, scope, self._suppressed)
