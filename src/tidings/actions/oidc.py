"""Signing in at an OpenID Connect issuer: who begins there, and whose account it is."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from tidings.actions import audit
from tidings.actions import users as actions
from tidings.domain.errors import ForbiddenError, RefusedError, UnprovenError
from tidings.domain.users import Role, User, token_digest
from tidings.providers.oidc import Person
from tidings.storage import environments, sessions, users
from tidings.storage.database import Connection
from tidings.storage.sessions import Elsewhere
from tidings.world import World

_LASTS = timedelta(minutes=10)


async def begin(tx: Connection, world: World, came_for: str) -> tuple[str, Elsewhere]:
    """The state to send along, and what is remembered of this sign-in."""
    state = world.ids.secret()
    begun = Elsewhere(world.ids.secret(), world.ids.secret(), came_for, world.clock.now())
    await sessions.begin_elsewhere(tx, token_digest(state), begun)
    return state, begun


async def take(tx: Connection, world: World, state: str) -> Elsewhere:
    """What was remembered; each sign-in can be finished once, within ten minutes."""
    since = world.clock.now() - _LASTS
    begun = await sessions.take_elsewhere(tx, token_digest(state), since)
    if begun is None:
        raise UnprovenError("This sign-in took too long or was finished already. Start again.")
    return begun


async def account_of(
    tx: Connection, world: World, person: Person, domains: Sequence[str], role: Role, address: str
) -> User:
    """The account that was linked before, or has the same proven address, or is new. The audit log
    tells of the latter two, with the visitor's network address."""
    known = await users.find_by_subject(tx, person.issuer, person.subject)
    if known is not None:
        return known
    if not person.email or not person.email_verified:
        raise ForbiddenError(
            "The issuer does not vouch for your e-mail address. Verify it there and try again."
        )
    await users.lock(tx)
    same = await users.find_by_email(tx, person.email)
    if same is not None:
        linked = await _link(tx, world, same, person)
        await _note(tx, world, linked, "user.link", address)
        return linked
    if not await users.any_exists(tx):
        raise RefusedError("There is no owner yet. Make the owner's account first.")
    if person.email.rpartition("@")[2] not in domains:
        raise ForbiddenError(
            f"{person.email} has no account here. Ask an owner to add you, or to allow your domain."
        )
    organization_id = await environments.organization_id(tx)
    made = await actions.create(
        *(tx, organization_id, world, person.email, person.name[:100], role, None),
        issuer=person.issuer,
        subject=person.subject,
    )
    await _note(tx, world, made, "user.create", address)
    return made


async def _note(tx: Connection, world: World, user: User, action: str, address: str) -> None:
    details = {"role": user.role, "issuer": user.issuer}
    await audit.note(tx, world, user, None, action, user.id, user.email, details, address)


async def _link(tx: Connection, world: World, user: User, person: Person) -> User:
    if user.issuer is not None:
        raise ForbiddenError(
            f"{user.email} belongs to another account at the issuer. Ask an owner to delete it."
        )
    linked = replace(
        user, issuer=person.issuer, subject=person.subject, updated_at=world.clock.now()
    )
    await users.save(tx, linked)
    return linked
