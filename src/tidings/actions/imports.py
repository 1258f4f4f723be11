"""Loading subscribers from a file, piece by piece, so that an interrupted import can go on."""

from collections.abc import Sequence

from tidings.domain.scope import Scope
from tidings.domain.subscribers import Profile, once_each
from tidings.storage import imports
from tidings.storage.database import Connection
from tidings.storage.imports import Progress
from tidings.world import World


async def load(
    tx: Connection,
    scope: Scope,
    world: World,
    fingerprint: str,
    profiles: Sequence[Profile],
    progress: Progress,
) -> int:
    """Make or change these, and remember that the file is done up to here; how many are new."""
    distinct = once_each(profiles)
    now = world.clock.now()
    new = 0
    if distinct:
        ids = [world.ids.new() for _ in distinct]
        new = await imports.load(tx, scope, ids, distinct, now)
    await imports.note(tx, scope, fingerprint, progress, now)
    return new


async def begin(
    tx: Connection, scope: Scope, world: World, fingerprint: str, resume: bool
) -> Progress:
    """How far an earlier import of the same file came, to go on from there; or nothing done."""
    if resume:
        return await imports.progress(tx, scope, fingerprint) or Progress()
    await imports.forget(tx, scope, fingerprint)
    return Progress()


async def finish(tx: Connection, scope: Scope, world: World, fingerprint: str) -> None:
    await imports.forget(tx, scope, fingerprint)
