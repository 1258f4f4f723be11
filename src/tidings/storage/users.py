"""People who use the dashboard."""

from datetime import datetime
from typing import Any

import asyncpg

from tidings.domain.errors import ConflictError, NotFoundError
from tidings.domain.users import User
from tidings.storage.database import Connection, Row

_COLUMNS = (
    "id, organization_id, email, name, role, password, issuer, subject, created_at, updated_at, "
    "last_seen_at"
)


async def all_of(connection: Connection, organization_id: str) -> list[User]:
    """Oldest first."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM users WHERE organization_id = $1 ORDER BY id", organization_id
    )
    return [user_of(row) for row in rows]


async def any_exists(connection: Connection) -> bool:
    found: bool = await connection.fetchval("SELECT EXISTS (SELECT FROM users)")
    return found


async def lock(connection: Connection) -> None:
    """Hold back other changes to who there is, until the transaction ends."""
    await connection.execute("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE")


async def get(connection: Connection, organization_id: str, id: str) -> User:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM users WHERE organization_id = $1 AND id = $2", organization_id, id
    )
    if row is None:
        raise NotFoundError(f"There is no user {id}.", userId=id)
    return user_of(row)


async def find_by_email(connection: Connection, email: str) -> User | None:
    """Asked before there is an organization: addresses are unique."""
    row = await connection.fetchrow(f"SELECT {_COLUMNS} FROM users WHERE email = $1", email)
    return None if row is None else user_of(row)


async def get_by_email(connection: Connection, email: str) -> User:
    found = await find_by_email(connection, email)
    if found is None:
        raise NotFoundError(f"There is no user {email}; see `tidings users list`.", email=email)
    return found


async def find_by_subject(connection: Connection, issuer: str, subject: str) -> User | None:
    row = await connection.fetchrow(
        f"SELECT {_COLUMNS} FROM users WHERE issuer = $1 AND subject = $2", issuer, subject
    )
    return None if row is None else user_of(row)


async def add(connection: Connection, user: User) -> None:
    try:
        await connection.execute(
            f"INSERT INTO users ({_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            user.id,
            *_changeable(user, before=(user.organization_id,)),
            user.created_at,
            user.updated_at,
            user.last_seen_at,
        )
    except asyncpg.UniqueViolationError:
        raise _taken(user) from None


async def save(connection: Connection, user: User) -> None:
    try:
        await connection.execute(
            "UPDATE users SET email = $2, name = $3, role = $4, password = $5, issuer = $6, "
            "subject = $7, updated_at = $8 WHERE id = $1",
            user.id,
            *_changeable(user),
            user.updated_at,
        )
    except asyncpg.UniqueViolationError:
        raise _taken(user) from None


async def note_seen(connection: Connection, id: str, now: datetime) -> None:
    await connection.execute("UPDATE users SET last_seen_at = $2 WHERE id = $1", id, now)


async def remove(connection: Connection, id: str) -> None:
    """With their sessions; what they did stays in the audit log."""
    await connection.execute("DELETE FROM users WHERE id = $1", id)


def user_of(row: Row) -> User:
    return User(**{name: row[name] for name in User.__struct_fields__})


def _changeable(user: User, before: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    return (
        *before,
        *(user.email, user.name, user.role, user.password, user.issuer, user.subject),
    )


def _taken(user: User) -> ConflictError:
    return ConflictError(f"There is a user {user.email} already.", email=user.email)
