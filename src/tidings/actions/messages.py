"""Removing messages."""

from tidings.domain.channels import Channel
from tidings.domain.errors import NotFoundError
from tidings.domain.scope import Scope
from tidings.storage import messages
from tidings.storage.database import Connection
from tidings.world import World


async def remove(tx: Connection, scope: Scope, world: World, id: str) -> None:
    if not await messages.remove(tx, scope, id):
        raise NotFoundError(f"There is no message {id!r}.", messageId=id)


async def remove_transaction(
    tx: Connection, scope: Scope, world: World, transaction_id: str, channel: Channel | None
) -> None:
    if not await messages.remove_transaction(tx, scope, transaction_id, channel):
        raise NotFoundError(
            f"There is no message of the transaction {transaction_id!r}"
            + (f" on {channel}." if channel else "."),
            transactionId=transaction_id,
        )
