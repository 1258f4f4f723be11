"""Making, changing and removing the people who use the dashboard."""

from msgspec.structs import replace

from tidings.actions import passwords
from tidings.domain.errors import ForbiddenError, RefusedError
from tidings.domain.users import (
    Role,
    User,
    check_password,
    email_of,
    name_of,
    role_of,
    token_digest,
)
from tidings.storage import environments, sessions, users
from tidings.storage.database import Connection
from tidings.world import World


async def setup_token(tx: Connection, world: World) -> str | None:
    """What the one who makes the first account must know; None when there is an account."""
    if await users.any_exists(tx):
        await sessions.set_setup_token(tx, None, world.clock.now())
        return None
    token = world.ids.secret(12)
    await sessions.set_setup_token(tx, token_digest(token), world.clock.now())
    return token


async def create_first(
    tx: Connection,
    world: World,
    email: str,
    name: str,
    password: str,
    token: str | None,
    trusted: bool,
) -> User:
    """The owner, as long as there is nobody. `trusted`: no token is needed from this visitor."""
    await users.lock(tx)
    if await users.any_exists(tx):
        raise ForbiddenError("There is an account already. Sign in, or ask an owner for yours.")
    if not trusted and not await sessions.is_setup_token(tx, token_digest(token or "")):
        raise ForbiddenError(
            "The setup token is wrong. It is in the server's output at its last start; or run "
            "`tidings users create` on the server."
        )
    organization_id = await environments.organization_id(tx)
    made = await create(tx, organization_id, world, email, name, "owner", password)
    await sessions.set_setup_token(tx, None, world.clock.now())
    return made


async def create(
    tx: Connection,
    organization_id: str,
    world: World,
    email: str,
    name: str,
    role: str,
    password: str | None,
    issuer: str | None = None,
    subject: str | None = None,
) -> User:
    """Without a password they can sign in elsewhere only."""
    email, name = email_of(email), name_of(name or email.split("@")[0])
    if password is not None:
        check_password(password, email, name)
    now = world.clock.now()
    user = User(
        id=world.ids.new(),
        organization_id=organization_id,
        email=email,
        name=name,
        role=role_of(role),
        password=None if password is None else await passwords.hashed(password),
        issuer=issuer,
        subject=subject,
        created_at=now,
        updated_at=now,
    )
    await users.add(tx, user)
    return user


async def set_role(tx: Connection, world: World, user: User, role: str) -> User:
    await users.lock(tx)
    after = replace(user, role=role_of(role), updated_at=world.clock.now())
    await _refuse_without_owner(tx, user, after.role)
    await users.save(tx, after)
    return after


async def set_password(
    tx: Connection, world: World, user: User, password: str, keep_session: str | None = None
) -> User:
    """Ends all their sessions but the one named, and forgets failed attempts."""
    check_password(password, user.email, user.name)
    after = replace(user, password=await passwords.hashed(password), updated_at=world.clock.now())
    await users.save(tx, after)
    await sessions.end_all(tx, user, keep_session)
    await sessions.forgive(tx, f"account:{user.email}", user.created_at)
    return after


async def remove(tx: Connection, world: World, user: User) -> None:
    await users.lock(tx)
    await _refuse_without_owner(tx, user, None)
    await users.remove(tx, user.id)


async def _refuse_without_owner(tx: Connection, user: User, role: Role | None) -> None:
    if user.role == "owner" and role != "owner":
        everyone = await users.all_of(tx, user.organization_id)
        if not any(each.role == "owner" and each.id != user.id for each in everyone):
            raise RefusedError(
                f"{user.email} is the only owner. Make somebody else an owner first.",
                email=user.email,
            )
