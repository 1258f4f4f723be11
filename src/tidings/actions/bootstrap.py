"""What a new installation begins with: one organization, Development and Production, and a key."""

from tidings.actions import environments as new_environments
from tidings.actions import keys
from tidings.domain.environments import DEVELOPMENT, PRODUCTION
from tidings.domain.keys import digest
from tidings.domain.scope import Scope
from tidings.storage import environments, secrets
from tidings.storage import keys as stored_keys
from tidings.storage.database import Connection
from tidings.world import World


async def first_environments(tx: Connection, world: World) -> None:
    """Make the organization and its two environments unless there are some."""
    await environments.lock_bootstrap(tx)
    await secrets.check_key(tx, world.sealer)
    await secrets.remember_key(tx, world.sealer, world.clock.now())
    if await environments.any_exists(tx):
        return
    organization_id = world.ids.new()
    await environments.add_organization(tx, organization_id, "Default", world.clock.now())
    development = await new_environments.add(tx, world, organization_id, DEVELOPMENT, "dev", None)
    await new_environments.add(tx, world, organization_id, PRODUCTION, "prod", development.id)


async def first_key(tx: Connection, world: World, secret: str | None) -> str | None:
    """The first Development key, or None when that environment ever had one."""
    development = await environments.named(tx, DEVELOPMENT)
    scope = Scope(development.organization_id, development.id)
    await environments.lock_bootstrap(tx)
    if await stored_keys.all_of(tx, scope):
        return None
    _, text = await keys.create(tx, scope, world, "First key", secret)
    return text


async def is_known(tx: Connection, secret: str) -> bool:
    return await stored_keys.find_live(tx, digest(secret)) is not None
