"""What a batch of vendors' reports changes about messages and the proof of their jobs."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from tidings.domain.deliveries import Event
from tidings.domain.messages import Change, Message, apply, is_noted
from tidings.domain.notifications import Detail
from tidings.domain.suppressions import Suppression


class Noting(msgspec.Struct):
    """To be written down."""

    changes: list[tuple[Message, Change]] = []
    details: dict[str, list[Detail]] = {}
    """By job."""
    suppressed: list[Suppression] = []
    known: list[tuple[str, Event]] = []
    """The messages that reports are about, repeated reports included."""
    unknown: list[Event] = []
    repeated: int = 0


def note(
    events: Sequence[Event],
    known: Mapping[str, Sequence[Message]],
    proof: Mapping[str, tuple[Detail, ...]],
    provider_id: str,
    new_id: Callable[[], str],
    now: datetime,
) -> Noting:
    noting = Noting()
    for event in events:
        found = known.get(event.message_id, ())
        if not found:
            noting.unknown.append(event)
        for message in found:
            noting.known.append((message.id, event))
            change = apply(message, event, now)
            added = noting.details.get(message.job_id, ())
            if is_noted((*proof.get(message.job_id, ()), *added), change):
                noting.repeated += 1
                continue
            noting.changes.append((message, change))
            line = _line(change, provider_id, new_id(), now)
            noting.details.setdefault(message.job_id, []).append(line)
            if change.suppressed is not None:
                noting.suppressed.append(_suppression(message, change.suppressed, event, now))
    return noting


def _line(change: Change, provider_id: str, id: str, now: datetime) -> Detail:
    return Detail(
        id=id,
        at=now,
        status=change.status,
        detail=change.detail,
        reason="delivery",
        source="Webhook",
        provider_id=provider_id,
        raw=change.raw,
    )


def _suppression(message: Message, address: str, event: Event, now: datetime) -> Suppression:
    return Suppression(
        channel=message.channel,
        address=address,
        reason=event.happened,
        detail=event.reason,
        since=now,
    )
