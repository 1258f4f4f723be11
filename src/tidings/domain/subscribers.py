"""Subscribers: the people and systems that are notified, and the rules for what is said of them."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Literal
from zoneinfo import available_timezones

import msgspec

from tidings.domain.addresses import is_email

Outcome = Literal["created", "updated"]

LONGEST_TEXT = 255
LONGEST_AVATAR = 2048
LARGEST_DATA = 64 * 1024
MOST_AT_ONCE = 500

_LOCALE = re.compile(r"[A-Za-z]{2,3}([_-][A-Za-z]{4})?([_-]([A-Za-z]{2}|\d{3}))?([_-]\w{4,8})*")


class Subscriber(msgspec.Struct, frozen=True):
    id: str
    key: str
    """The caller's name for it, typically the user id in the caller's system."""
    first_name: str | None
    last_name: str | None
    email: str | None
    phone: str | None
    avatar: str | None
    locale: str | None
    timezone: str | None
    data: msgspec.Raw | None
    """A JSON object of the caller's own."""
    channels: msgspec.Raw
    """A JSON array of `domain.credentials.ChannelEntry`."""
    is_online: bool | None
    last_online_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime
    topics: msgspec.Raw | None = None
    """A JSON array of the keys of its topics, where they were asked for."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller says of a subscriber; None where nothing is said."""

    key: str
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    phone: str | None = None
    avatar: str | None = None
    locale: str | None = None
    timezone: str | None = None
    data: dict[str, Any] | None = None

    def over(self, earlier: "Profile") -> "Profile":
        """Both in one: what this one says, and for the rest what the earlier one said."""
        said = {
            name: value for name, value in msgspec.structs.asdict(self).items() if value is not None
        }
        return msgspec.structs.replace(earlier, **said)


FIELDS = tuple(name for name in Profile.__struct_fields__ if name != "key")
"""What can be said of a subscriber besides its key."""


def problems(values: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with these values, by the name of the field; None is never wrong."""
    found = {}
    for name, value in values.items():
        if value is not None and (problem := _RULES[name](value)):
            found[name] = problem
    return found


def once_each(profiles: Iterable[Profile]) -> list[Profile]:
    """One profile per key, later words over earlier ones, in the order of the keys, so that
    writers of overlapping sets lock their rows in the same order."""
    by_key: dict[str, Profile] = {}
    for profile in profiles:
        earlier = by_key.get(profile.key)
        by_key[profile.key] = profile if earlier is None else profile.over(earlier)
    return [by_key[key] for key in sorted(by_key)]


def _key(value: str) -> str | None:
    if not value:
        return "must not be empty"
    if not value.isprintable():
        return "must have printable characters only"
    return _text(value)


def _text(value: str, longest: int = LONGEST_TEXT) -> str | None:
    if len(value) > longest:
        return f"must have at most {longest} characters"
    return "must not contain a NUL character" if "\0" in value else None


def _avatar(value: str) -> str | None:
    return _text(value, LONGEST_AVATAR)


def _email(value: str) -> str | None:
    return None if is_email(value) else "must be an e-mail address such as ada@example.com"


def _timezone(value: str) -> str | None:
    return None if value in _zones() else "must be an IANA time zone such as Europe/Paris"


def _locale(value: str) -> str | None:
    return None if _LOCALE.fullmatch(value) else "must be a locale such as en, en_US or zh-Hant-TW"


def _data(value: Mapping[str, Any]) -> str | None:
    encoded = msgspec.json.encode(value)
    if len(encoded) > LARGEST_DATA:
        return f"must have at most {LARGEST_DATA // 1024} kB as JSON"
    return "must not contain a NUL character" if b"\\u0000" in encoded else None


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - {"localtime", "posixrules", "Factory"})


_RULES: dict[str, Callable[[Any], str | None]] = {
    "key": _key,
    "first_name": _text,
    "last_name": _text,
    "email": _email,
    "phone": _text,
    "avatar": _avatar,
    "locale": _locale,
    "timezone": _timezone,
    "data": _data,
}
