"""Signing in and out."""

from datetime import datetime

from tidings.actions import passwords
from tidings.domain.errors import UnprovenError
from tidings.domain.users import (
    ATTEMPTS_WITHIN,
    IDLE_FOR,
    MOST_PER_ACCOUNT,
    MOST_PER_ADDRESS,
    SESSION_LASTS,
    Session,
    User,
    token_digest,
)
from tidings.storage import sessions, users
from tidings.storage.database import Connection, Database
from tidings.world import World


class TooOftenError(UnprovenError):
    """Too many attempts failed of late."""


async def sign_in(
    database: Database, world: World, email: str, password: str, address: str, agent: str
) -> tuple[Session, str]:
    """The session and the only copy of its token. An attempt counts before it is looked at, and is
    committed at once, so that many at the same time do not slip through."""
    now, email = world.clock.now(), email.strip().lower()[:254].replace("\0", "")
    account, place = f"account:{email}", f"address:{address}"
    async with database.transaction() as tx:
        await sessions.note_attempt(tx, [account, place], now)
    async with database.connection() as connection:
        await _refuse_too_often(connection, account, place, now)
        user = await users.find_by_email(connection, email)
    matches = await passwords.matches(None if user is None else user.password, password)
    if user is None or not matches:
        raise UnprovenError("The e-mail address or the password is wrong.")
    async with database.transaction() as tx:
        await sessions.forgive(tx, account, now - ATTEMPTS_WITHIN)
        return await open_session(tx, world, user, address, agent)


async def open_session(
    tx: Connection, world: World, user: User, address: str, agent: str
) -> tuple[Session, str]:
    """For somebody who has proved who they are."""
    now, token = world.clock.now(), world.ids.secret()
    session = Session(
        id=world.ids.new(),
        user=user,
        created_at=now,
        seen_at=now,
        expires_at=now + SESSION_LASTS,
        address=address,
        agent=agent[:200].replace("\0", ""),
    )
    await sessions.end_old(tx, now, now - IDLE_FOR)
    await sessions.add(tx, session, token_digest(token))
    await users.note_seen(tx, user.id, now)
    return session, token


async def _refuse_too_often(
    connection: Connection, account: str, place: str, now: datetime
) -> None:
    since = now - ATTEMPTS_WITHIN
    for subject, most in ((account, MOST_PER_ACCOUNT), (place, MOST_PER_ADDRESS)):
        if await sessions.attempts(connection, subject, since) > most:
            minutes = int(ATTEMPTS_WITHIN.total_seconds() // 60)
            raise TooOftenError(
                f"There were too many failed attempts. Wait {minutes} minutes, or let an owner "
                "set a new password."
            )
