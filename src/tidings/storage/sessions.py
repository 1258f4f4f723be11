"""Who is signed in, how often somebody tried, and what proves a right to begin."""

from datetime import datetime

import msgspec

from tidings.domain.users import Session, User
from tidings.storage.database import Connection
from tidings.storage.users import user_of


class Elsewhere(msgspec.Struct, frozen=True):
    """A sign-in that was begun at the issuer."""

    nonce: str
    verifier: str
    came_for: str
    created_at: datetime


async def find(
    connection: Connection, digest: bytes, now: datetime, idle_since: datetime
) -> Session | None:
    """The live session of a token: the one question asked before anybody is known."""
    row = await connection.fetchrow(
        "SELECT u.*, s.id AS session_id, s.created_at AS opened_at, s.seen_at, s.expires_at, "
        "s.address, s.agent FROM sessions AS s JOIN users AS u ON u.id = s.user_id "
        "WHERE s.digest = $1 AND s.expires_at > $2 AND s.seen_at > $3",
        digest,
        now,
        idle_since,
    )
    if row is None:
        return None
    return Session(
        id=row["session_id"],
        user=user_of(row),
        created_at=row["opened_at"],
        seen_at=row["seen_at"],
        expires_at=row["expires_at"],
        address=row["address"],
        agent=row["agent"],
    )


async def add(connection: Connection, session: Session, digest: bytes) -> None:
    await connection.execute(
        "INSERT INTO sessions (id, user_id, digest, created_at, seen_at, expires_at, address, "
        "agent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        session.id,
        session.user.id,
        digest,
        session.created_at,
        session.seen_at,
        session.expires_at,
        session.address,
        session.agent,
    )


async def note_seen(connection: Connection, id: str, now: datetime) -> None:
    await connection.execute("UPDATE sessions SET seen_at = $2 WHERE id = $1", id, now)


async def end(connection: Connection, id: str) -> None:
    await connection.execute("DELETE FROM sessions WHERE id = $1", id)


async def end_all(connection: Connection, user: User, but: str | None = None) -> None:
    await connection.execute(
        "DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2", user.id, but
    )


async def end_old(connection: Connection, now: datetime, idle_since: datetime) -> None:
    await connection.execute(
        "DELETE FROM sessions WHERE expires_at <= $1 OR seen_at <= $2", now, idle_since
    )


async def note_attempt(connection: Connection, subjects: list[str], now: datetime) -> None:
    await connection.execute(
        "INSERT INTO sign_in_attempts (subject, at) SELECT unnest($1::text[]), $2", subjects, now
    )


async def attempts(connection: Connection, subject: str, since: datetime) -> int:
    count: int = await connection.fetchval(
        "SELECT count(*) FROM sign_in_attempts WHERE subject = $1 AND at > $2", subject, since
    )
    return count


async def forgive(connection: Connection, subject: str, before: datetime) -> None:
    """Forget an account's failures, and all that are too old to count."""
    await connection.execute(
        "DELETE FROM sign_in_attempts WHERE subject = $1 OR at <= $2", subject, before
    )


async def set_setup_token(connection: Connection, digest: bytes | None, now: datetime) -> None:
    """Only the newest one holds; None ends them all."""
    await connection.execute("DELETE FROM setup_tokens")
    if digest is not None:
        await connection.execute(
            "INSERT INTO setup_tokens (digest, created_at) VALUES ($1, $2)", digest, now
        )


async def is_setup_token(connection: Connection, digest: bytes) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT FROM setup_tokens WHERE digest = $1)", digest
    )
    return found


async def begin_elsewhere(connection: Connection, digest: bytes, begun: Elsewhere) -> None:
    await connection.execute(
        "INSERT INTO sign_ins_elsewhere (digest, nonce, verifier, came_for, created_at) "
        "VALUES ($1, $2, $3, $4, $5)",
        digest,
        begun.nonce,
        begun.verifier,
        begun.came_for,
        begun.created_at,
    )


async def take_elsewhere(
    connection: Connection, digest: bytes, since: datetime
) -> Elsewhere | None:
    """A sign-in that was begun, once; those too old are dropped."""
    await connection.execute("DELETE FROM sign_ins_elsewhere WHERE created_at <= $1", since)
    row = await connection.fetchrow(
        "DELETE FROM sign_ins_elsewhere WHERE digest = $1 "
        "RETURNING nonce, verifier, came_for, created_at",
        digest,
    )
    return None if row is None else Elsewhere(**row)
