"""Writing down who changed what."""

from collections.abc import Mapping
from typing import Any

from tidings.domain.audit import Entry
from tidings.domain.environments import Environment
from tidings.domain.users import User
from tidings.storage import audit
from tidings.storage.database import Connection
from tidings.world import World


async def note(
    tx: Connection,
    world: World,
    user: User,
    environment: Environment | None,
    action: str,
    target_id: str | None,
    target_name: str | None,
    details: Mapping[str, Any],
    address: str,
) -> None:
    """In the transaction of the change, so that there is never one without the other."""
    await audit.add(
        tx,
        Entry(
            id=world.ids.new(),
            organization_id=user.organization_id,
            environment_id=None if environment is None else environment.id,
            environment_name=None if environment is None else environment.name,
            user_id=user.id,
            user_name=user.name,
            action=action,
            target_id=target_id,
            target_name=target_name,
            details=details,
            address=address,
            created_at=world.clock.now(),
        ),
    )
