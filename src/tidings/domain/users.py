"""People who use the dashboard, and what their role lets them do."""

import hashlib
import re
from datetime import datetime, timedelta
from typing import Literal, get_args

import msgspec

from tidings.domain.errors import InvalidError, Problem

Role = Literal["viewer", "editor", "owner"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Each may do what the ones before it may."""

SESSION_LASTS = timedelta(days=14)
IDLE_FOR = timedelta(days=3)
"""Longest time between two requests of a session."""

ATTEMPTS_WITHIN = timedelta(minutes=15)
MOST_PER_ACCOUNT = 10
MOST_PER_ADDRESS = 30

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 256
_EMAIL = re.compile(r"[^@\s,;<>]{1,64}@[^@\s,;<>]{1,189}")


class User(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    organization_id: str
    email: str
    name: str
    role: Role
    password: str | None = None
    """Its hash; None for those who sign in elsewhere only."""
    issuer: str | None = None
    subject: str | None = None
    created_at: datetime
    updated_at: datetime
    last_seen_at: datetime | None = None

    def may(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    user: User
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    address: str
    agent: str


def token_digest(token: str) -> bytes:
    """All that is stored of a session or setup token. They are random, so one round is enough."""
    return hashlib.sha256(token.encode()).digest()


def email_of(text: str) -> str:
    """The address by which an account is known."""
    email = text.strip().lower()
    if not _EMAIL.fullmatch(email) or not email.isprintable():
        raise InvalidError.of("email", "must be an e-mail address such as ada@example.com", text)
    return email


def name_of(text: str) -> str:
    name = text.strip()
    if not 0 < len(name) <= 100 or not name.isprintable():
        raise InvalidError.of("name", "must have 1 to 100 printable characters", text)
    return name


def role_of(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise InvalidError.of("role", f"must be one of {', '.join(ROLES)}", text)


def check_password(text: str, *known: str) -> None:
    """Length is what counts; and it must not be what everybody knows of the account."""
    if not SHORTEST_PASSWORD <= len(text) <= LONGEST_PASSWORD:
        message = f"must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
        raise InvalidError({"password": Problem([message])})
    if len(set(text)) < 5 or text.lower() in {each.lower() for each in known}:
        raise InvalidError({"password": Problem(["is too easy to guess; take a longer phrase"])})
