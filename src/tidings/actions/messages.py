"""Removing messages."""

from collections.abc import Iterable

from tidings.domain.channels import Channel
from tidings.domain.errors import NotFoundError
from tidings.domain.scope import Scope
from tidings.storage import inbox_changes, messages
from tidings.storage.database import Connection
from tidings.storage.inbox_changes import Change
from tidings.world import World


async def remove(tx: Connection, scope: Scope, world: World, id: str) -> None:
    owners = await messages.remove(tx, scope, id)
    if not owners:
        raise NotFoundError(f"There is no message {id!r}.", messageId=id)
    await _announce(tx, scope, owners)


async def remove_transaction(
    tx: Connection, scope: Scope, world: World, transaction_id: str, channel: Channel | None
) -> None:
    owners = await messages.remove_transaction(tx, scope, transaction_id, channel)
    if not owners:
        raise NotFoundError(
            f"There is no message of the transaction {transaction_id!r}"
            + (f" on {channel}." if channel else "."),
            transactionId=transaction_id,
        )
    await _announce(tx, scope, owners)


async def _announce(tx: Connection, scope: Scope, subscriber_ids: Iterable[str]) -> None:
    changed = [Change(id, "changed") for id in subscriber_ids]
    await inbox_changes.announce(tx, scope.environment_id, changed)
