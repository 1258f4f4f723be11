"""Topics: named groups of subscribers that one trigger reaches."""

import re
from datetime import datetime

import msgspec

from tidings.domain.addresses import is_email

LONGEST_KEY = 255
LONGEST_NAME = 255
MOST_AT_ONCE = 100

_KEY = re.compile(r"[A-Za-z0-9_:-]+")


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    key: str
    name: str | None
    created_at: datetime
    updated_at: datetime


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """The subscriber of a subscription, in short."""

    id: str
    key: str
    first_name: str | None
    last_name: str | None
    email: str | None
    avatar: str | None


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """That a subscriber belongs to a topic."""

    id: str
    identifier: str
    topic: Topic
    subscriber: Member
    created_at: datetime


class Wanted(msgspec.Struct, frozen=True):
    """A subscriber to be added or removed, and the name the caller gives the subscription."""

    subscriber_key: str | None
    identifier: str | None = None


class Failure(msgspec.Struct, frozen=True):
    subscriber_key: str
    code: str
    message: str


class Changed(msgspec.Struct, frozen=True):
    """What came of adding or removing several subscriptions."""

    done: list[Subscription]
    failures: list[Failure]


def key_problem(key: str) -> str | None:
    if len(key) > LONGEST_KEY:
        return f"must have at most {LONGEST_KEY} characters"
    if _KEY.fullmatch(key) or is_email(key):
        return None
    return "must consist of letters, digits, -, _ and :, or be an e-mail address"


def name_problem(name: str) -> str | None:
    if len(name) > LONGEST_NAME:
        return f"must have at most {LONGEST_NAME} characters"
    return "must not contain a NUL character" if "\0" in name else None


def identifier_of(topic_key: str, subscriber_key: str) -> str:
    """The name of a subscription whose caller gave none."""
    return f"tk={topic_key}:si={subscriber_key}"
