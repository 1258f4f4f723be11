"""Making and revoking API keys."""

from tidings.domain.errors import NotFoundError
from tidings.domain.keys import ApiKey, digest
from tidings.domain.scope import Scope
from tidings.storage import keys
from tidings.storage.database import Connection
from tidings.world import World


async def create(
    tx: Connection, scope: Scope, world: World, name: str, secret: str | None = None
) -> tuple[ApiKey, str]:
    """A new key, with the only copy of its text."""
    secret = secret or world.ids.api_key()
    key = ApiKey(
        id=world.ids.new(),
        scope=scope,
        name=name,
        hint=secret[-4:],
        created_at=world.clock.now(),
    )
    await keys.add(tx, key, digest(secret))
    return key, secret


async def revoke(tx: Connection, scope: Scope, world: World, id: str) -> None:
    if not await keys.revoke(tx, scope, id, world.clock.now()):
        raise NotFoundError(f"There is no live key {id} in this environment.", keyId=id)
