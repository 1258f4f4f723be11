"""What a subscriber does with the messages in its inbox, and what others do on its behalf.

Every change is announced to whoever shows the inbox, in the same transaction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tidings.domain.errors import NotFoundError
from tidings.domain.inbox import (
    MARKS,
    ActionType,
    Filter,
    InboxMessage,
    Mark,
    acted,
    refuse_snoozed,
    snooze_end,
)
from tidings.domain.scope import Scope
from tidings.storage import inbox, inbox_changes
from tidings.storage.database import Connection
from tidings.storage.inbox_changes import Change
from tidings.world import World


async def mark(
    tx: Connection, scope: Scope, world: World, subscriber_id: str, id: str, mark: Mark
) -> InboxMessage:
    refuse_snoozed(await inbox.lock(tx, scope, subscriber_id, id))
    await mark_many(tx, scope, world, subscriber_id, Filter(), mark, [id])
    return await inbox.get(tx, scope, subscriber_id, id)


async def mark_many(
    tx: Connection,
    scope: Scope,
    world: World,
    subscriber_id: str,
    filter: Filter,
    mark: Mark,
    ids: Sequence[str] | None = None,
) -> int:
    """All that pass, of these ids if they are given; how many were changed."""
    now = world.clock.now()
    changed = await inbox.mark(tx, scope, subscriber_id, filter, MARKS[mark], now, ids)
    if changed:
        await _announce(tx, scope, subscriber_id)
    return changed


async def snooze(
    tx: Connection, scope: Scope, world: World, subscriber_id: str, id: str, until: datetime
) -> InboxMessage:
    """Hide it; the engine delivers it again when the time has come."""
    now = world.clock.now()
    await inbox.lock(tx, scope, subscriber_id, id)
    await inbox.set_snooze(tx, scope, subscriber_id, id, snooze_end(until, now), now)
    await _announce(tx, scope, subscriber_id)
    return await inbox.get(tx, scope, subscriber_id, id)


async def unsnooze(
    tx: Connection, scope: Scope, world: World, subscriber_id: str, id: str
) -> InboxMessage:
    """Show it again as it was before it was snoozed."""
    found = await inbox.lock(tx, scope, subscriber_id, id)
    if found.snoozed_until is None:
        raise NotFoundError(f"The notification {id!r} is not snoozed.", notificationId=id)
    await inbox.set_snooze(tx, scope, subscriber_id, id, None, world.clock.now())
    await _announce(tx, scope, subscriber_id)
    return await inbox.get(tx, scope, subscriber_id, id)


async def act(
    tx: Connection,
    scope: Scope,
    world: World,
    subscriber_id: str,
    id: str,
    action: ActionType,
    done: bool,
    payload: Mapping[str, Any] | None = None,
) -> InboxMessage:
    """Note that a button was used, or take that back; either way the message has been read."""
    found = await inbox.lock(tx, scope, subscriber_id, id)
    refuse_snoozed(found)
    cta = acted(found, action, done, payload)
    await inbox.set_cta(tx, scope, subscriber_id, id, cta, world.clock.now())
    return await mark(tx, scope, world, subscriber_id, id, "read")


async def remove(tx: Connection, scope: Scope, world: World, subscriber_id: str, id: str) -> None:
    if "\0" in id or not await inbox.remove(tx, scope, subscriber_id, Filter(), id):
        raise NotFoundError(f"There is no notification {id!r}.", notificationId=id)
    await _announce(tx, scope, subscriber_id)


async def remove_many(
    tx: Connection, scope: Scope, world: World, subscriber_id: str, filter: Filter
) -> int:
    removed = await inbox.remove(tx, scope, subscriber_id, filter)
    if removed:
        await _announce(tx, scope, subscriber_id)
    return removed


async def _announce(tx: Connection, scope: Scope, subscriber_id: str) -> None:
    await inbox_changes.announce(tx, scope.environment_id, [Change(subscriber_id, "changed")])
