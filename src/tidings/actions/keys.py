"""Making, revoking and replacing API keys."""

from tidings.domain.errors import InvalidError, NotFoundError, RefusedError
from tidings.domain.keys import ApiKey, digest
from tidings.domain.scope import Scope
from tidings.storage import keys
from tidings.storage.database import Connection
from tidings.world import World


async def create(
    tx: Connection, scope: Scope, world: World, name: str, secret: str | None = None
) -> tuple[ApiKey, str]:
    """A new key, with the only copy of its text."""
    if not 0 < len(name.strip()) <= 128 or not name.isprintable():
        raise InvalidError.of("name", "must have 1 to 128 printable characters", name)
    secret = secret or world.ids.api_key()
    key = ApiKey(
        id=world.ids.new(),
        scope=scope,
        name=name.strip(),
        hint=secret[-4:],
        created_at=world.clock.now(),
    )
    await keys.add(tx, key, digest(secret))
    return key, secret


async def revoke(tx: Connection, scope: Scope, world: World, id: str) -> None:
    if not await keys.revoke(tx, scope, id, world.clock.now()):
        raise NotFoundError(f"There is no live key {id} in this environment.", keyId=id)


async def remove(tx: Connection, scope: Scope, world: World, id: str) -> list[ApiKey]:
    """Revoke a key unless it is the last one; answers those that remain."""
    await keys.lock(tx, scope)
    await revoke(tx, scope, world, id)
    left = await keys.live(tx, scope)
    if not left:
        raise RefusedError(
            "This is the environment's last key; make another one first, or nobody can call.",
            keyId=id,
        )
    return left


async def regenerate(tx: Connection, scope: Scope, world: World, id: str) -> tuple[ApiKey, str]:
    """A new key in place of the given one, under the same name; the old one stops at once."""
    await keys.lock(tx, scope)
    former = next((key for key in await keys.live(tx, scope) if key.id == id), None)
    if former is None:
        raise NotFoundError(f"There is no live key {id} in this environment.", keyId=id)
    await revoke(tx, scope, world, id)
    return await create(tx, scope, world, former.name)
