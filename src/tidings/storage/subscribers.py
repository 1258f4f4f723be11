"""Subscribers. One row holds all of a subscriber but its preferences and topics."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from tidings.domain.credentials import ChannelEntry
from tidings.domain.errors import NotFoundError
from tidings.domain.paging import Asked, Page
from tidings.domain.scope import Scope
from tidings.domain.subscribers import FIELDS, Profile, Subscriber
from tidings.storage import paging
from tidings.storage.database import Connection, Row, json_unless_none, raw

T = TypeVar("T")

_SAID = ", ".join(FIELDS)
COLUMNS = f"id, key, {_SAID}, channels, is_online, last_online_at, version, created_at, updated_at"
_TOPICS = (
    "(SELECT coalesce(jsonb_agg(t.key ORDER BY t.key), '[]') FROM topic_subscriptions AS m "
    "JOIN topics AS t ON t.id = m.topic_id WHERE m.subscriber_id = {row}.id) AS topics"
)
_SHOWN = f"{COLUMNS}, {_TOPICS.format(row='s')}"
_INDEXED = {"full_name": " AND full_name <> ''"}
TEXTS = [name for name in FIELDS if name != "data"]
"""The fields that are text."""
_NEXT_VERSION = "version = s.version + 1, updated_at = greatest(s.updated_at, {now})"

# What is not said keeps its value; a row that already says all of it is left alone.
_OVER = (
    " ON CONFLICT (environment_id, key) DO UPDATE SET "
    + ", ".join(f"{name} = coalesce(excluded.{name}, s.{name})" for name in FIELDS)
    + f", {_NEXT_VERSION.format(now='excluded.updated_at')} WHERE "
    + " OR ".join(
        f"(excluded.{name} IS NOT NULL AND excluded.{name} IS DISTINCT FROM s.{name})"
        for name in FIELDS
    )
)
_INSERT = (
    "INSERT INTO subscribers AS s "
    f"(organization_id, environment_id, created_at, updated_at, id, key, {_SAID}) "
)
_ROWS = (
    "SELECT $1, $2, $3, $3, * FROM unnest("
    + ", ".join(f"${number}::text[]" for number in range(4, 6 + len(TEXTS)))
    + f", ${6 + len(TEXTS)}::jsonb[]) AS given (id, key, {', '.join(TEXTS)}, data)"
)
_UPSERT = f"{_INSERT}{_ROWS}{_OVER}"

LISTING = paging.Listing(
    columns=f"{COLUMNS}, {_TOPICS.format(row='r')}",
    source="subscribers AS r",
    where="r.environment_id = $1",
    count="SELECT coalesce(sum(count), 0)::bigint FROM subscriber_tallies "
    "WHERE environment_id = $1",
)


async def page(
    connection: Connection, scope: Scope, asked: Asked, filters: Mapping[str, str]
) -> Page[Subscriber]:
    """`filters`: exact values of `key`, `email`, `phone` or `full_name`."""
    return await paging.page(
        connection, LISTING, asked, [scope.environment_id], list(filters.items()), _listed
    )


async def find(connection: Connection, scope: Scope, key: str) -> Subscriber | None:
    row = await connection.fetchrow(
        f"SELECT {_SHOWN} FROM subscribers AS s WHERE environment_id = $1 AND key = $2",
        scope.environment_id,
        key,
    )
    return None if row is None else subscriber_of(row)


async def get(connection: Connection, scope: Scope, key: str) -> Subscriber:
    return _present(await find(connection, scope, key), key)


async def named(connection: Connection, scope: Scope, name: str) -> Subscriber:
    """By its id, or else by its key."""
    row = await connection.fetchrow(
        f"SELECT {_SHOWN} FROM subscribers AS s WHERE environment_id = $1 "
        "AND (id = $2 OR key = $2) ORDER BY id = $2 DESC LIMIT 1",
        scope.environment_id,
        name,
    )
    return _present(None if row is None else subscriber_of(row), name)


async def beginning_with(
    connection: Connection, scope: Scope, beginnings: Sequence[str], limit: int
) -> list[Subscriber]:
    """Those whose key, address, phone or full name begins with one of these, the newest of them
    first. Every column is read along its index, and no further than the limit."""
    each = " UNION ALL ".join(
        f"(SELECT id FROM subscribers WHERE environment_id = $1 AND {column} >= given.low "
        f"AND {column} < given.high{_INDEXED.get(column, '')} ORDER BY {column} LIMIT $4)"
        for column in ("key", "email", "phone", "full_name")
    )
    rows = await connection.fetch(
        f"SELECT {_SHOWN} FROM subscribers AS s WHERE id IN (SELECT found.id "
        f"FROM unnest($2::text[], $3::text[]) AS given (low, high), LATERAL ({each}) AS found) "
        "ORDER BY id DESC LIMIT $4",
        scope.environment_id,
        beginnings,
        [_after(text) for text in beginnings],
        limit,
    )
    return [subscriber_of(row) for row in rows]


async def id_of(connection: Connection, scope: Scope, key: str) -> str:
    id: str | None = await connection.fetchval(
        "SELECT id FROM subscribers WHERE environment_id = $1 AND key = $2",
        scope.environment_id,
        key,
    )
    return _present(id, key)


async def by_ids(connection: Connection, ids: Sequence[str]) -> dict[str, Subscriber]:
    """Those of the engine's own ids, which name their environment."""
    rows = await connection.fetch(f"SELECT {COLUMNS} FROM subscribers WHERE id = ANY ($1)", ids)
    return {row["id"]: subscriber_of(row) for row in rows}


async def by_keys(
    connection: Connection, scope: Scope, keys: Sequence[str]
) -> dict[str, Subscriber]:
    rows = await connection.fetch(
        f"SELECT {COLUMNS} FROM subscribers WHERE environment_id = $1 AND key = ANY ($2)",
        scope.environment_id,
        keys,
    )
    return {row["key"]: subscriber_of(row) for row in rows}


async def lock(connection: Connection, scope: Scope, key: str) -> str:
    """The id; other writers of this subscriber wait until the transaction ends."""
    id: str | None = await connection.fetchval(
        "SELECT id FROM subscribers WHERE environment_id = $1 AND key = $2 FOR NO KEY UPDATE",
        scope.environment_id,
        key,
    )
    return _present(id, key)


async def add(
    connection: Connection, scope: Scope, id: str, profile: Profile, now: datetime
) -> Subscriber | None:
    """The new subscriber, or None when there is one with this key."""
    row = await connection.fetchrow(
        f"{_INSERT}{_ROWS} ON CONFLICT (environment_id, key) DO NOTHING RETURNING {_SHOWN}",
        *_arguments(scope, [id], [profile], now),
    )
    return None if row is None else subscriber_of(row)


async def put(
    connection: Connection, scope: Scope, id: str, profile: Profile, now: datetime
) -> Subscriber:
    """The subscriber as it is after it was made, or what is said was written over it."""
    row = await connection.fetchrow(
        f"{_UPSERT} RETURNING {_SHOWN}", *_arguments(scope, [id], [profile], now)
    )
    return await get(connection, scope, profile.key) if row is None else subscriber_of(row)


async def put_many(
    connection: Connection,
    scope: Scope,
    ids: Sequence[str],
    profiles: Sequence[Profile],
    now: datetime,
) -> set[str]:
    """Make or change all of them in one statement; the keys of those that are new.

    The profiles have different keys and are in their order.
    """
    rows = await connection.fetch(
        f"{_UPSERT} RETURNING s.id, s.key", *_arguments(scope, ids, profiles, now)
    )
    ours = set(ids)
    return {row["key"] for row in rows if row["id"] in ours}


async def put_loaded(connection: Connection, scope: Scope, now: datetime) -> int:
    """As `put_many`, from the temporary table that `storage.imports` fills; how many are new."""
    made: int = await connection.fetchval(
        f"WITH done AS ({_INSERT}SELECT $1, $2, $3, $3, id, key, {', '.join(TEXTS)}, data::jsonb "
        f'FROM loaded ORDER BY key COLLATE "C"{_OVER} RETURNING s.id) '
        "SELECT count(*) FROM done JOIN loaded USING (id)",
        scope.organization_id,
        scope.environment_id,
        now,
    )
    return made


async def change(
    connection: Connection, scope: Scope, key: str, values: Mapping[str, Any], now: datetime
) -> Subscriber:
    """Set these fields; None clears one."""
    names = [name for name in FIELDS if name in values]
    settings = "".join(f"{name} = ${number}, " for number, name in enumerate(names, 4))
    row = await connection.fetchrow(
        f"UPDATE subscribers AS s SET {settings}{_NEXT_VERSION.format(now='$3')} "
        f"WHERE environment_id = $1 AND key = $2 RETURNING {_SHOWN}",
        scope.environment_id,
        key,
        now,
        *(json_unless_none(values[name]) if name == "data" else values[name] for name in names),
    )
    return _present(None if row is None else subscriber_of(row), key)


async def set_online(
    connection: Connection, scope: Scope, key: str, online: bool, now: datetime
) -> Subscriber:
    """Presence is no part of the document: its version stays."""
    row = await connection.fetchrow(
        "UPDATE subscribers AS s SET is_online = $3, "
        "last_online_at = CASE WHEN $3 THEN last_online_at ELSE $4 END "
        f"WHERE environment_id = $1 AND key = $2 RETURNING {_SHOWN}",
        scope.environment_id,
        key,
        online,
        now,
    )
    return _present(None if row is None else subscriber_of(row), key)


async def remove(connection: Connection, scope: Scope, key: str) -> None:
    """Gone with everything that belongs to it: its messages, and what refers to it with ON DELETE
    CASCADE. That it was triggered for stays on record."""
    done: str | None = await connection.fetchval(
        "WITH gone AS (DELETE FROM subscribers WHERE environment_id = $1 AND key = $2 "
        "RETURNING id), unsaid AS (DELETE FROM messages "
        "WHERE subscriber_id = (SELECT id FROM gone)) SELECT id FROM gone",
        scope.environment_id,
        key,
    )
    _present(done, key)


async def lock_channels(connection: Connection, scope: Scope, key: str) -> list[ChannelEntry]:
    """The channel credentials; other writers of this subscriber wait until the transaction ends."""
    found: str | None = await connection.fetchval(
        "SELECT channels FROM subscribers WHERE environment_id = $1 AND key = $2 FOR NO KEY UPDATE",
        scope.environment_id,
        key,
    )
    return msgspec.json.decode(_present(found, key), type=list[ChannelEntry])


async def set_channels(
    connection: Connection, scope: Scope, key: str, entries: Sequence[ChannelEntry], now: datetime
) -> Subscriber:
    row = await connection.fetchrow(
        f"UPDATE subscribers AS s SET channels = $3, {_NEXT_VERSION.format(now='$4')} "
        f"WHERE environment_id = $1 AND key = $2 RETURNING {_SHOWN}",
        scope.environment_id,
        key,
        json_unless_none(entries),
        now,
    )
    return _present(None if row is None else subscriber_of(row), key)


async def each(connection: Connection, scope: Scope) -> AsyncIterator[Subscriber]:
    """All of them, oldest first, as they are at one moment; needs a transaction."""
    rows = connection.cursor(
        f"SELECT {COLUMNS} FROM subscribers WHERE environment_id = $1 ORDER BY id",
        scope.environment_id,
        prefetch=1000,
    )
    async for row in rows:
        yield subscriber_of(row)


async def count(connection: Connection, scope: Scope) -> int:
    total: int = await connection.fetchval(f"{LISTING.count}", scope.environment_id)
    return int(total)


def _arguments(
    scope: Scope, ids: Sequence[str], profiles: Sequence[Profile], now: datetime
) -> list[Any]:
    return [
        scope.organization_id,
        scope.environment_id,
        now,
        list(ids),
        [profile.key for profile in profiles],
        *([getattr(profile, name) for profile in profiles] for name in TEXTS),
        [json_unless_none(profile.data) for profile in profiles],
    ]


def values_of(profile: Profile) -> list[str | None]:
    """Its key, its texts and its data."""
    texts = (getattr(profile, name) for name in TEXTS)
    return [profile.key, *texts, json_unless_none(profile.data)]


def subscriber_of(row: Row | Mapping[str, Any]) -> Subscriber:
    """A row of `COLUMNS`, with the topics behind them if they were asked for."""
    return _made_of(*row.values())


def _listed(row: Row) -> Subscriber:
    """A row of a page, which begins with what is said of the whole page."""
    return _made_of(*row[2:])


def _made_of(
    id: str,
    key: str,
    first_name: str | None,
    last_name: str | None,
    email: str | None,
    phone: str | None,
    avatar: str | None,
    locale: str | None,
    timezone: str | None,
    data: str | None,
    channels: str,
    is_online: bool | None,
    last_online_at: datetime | None,
    version: int,
    created_at: datetime,
    updated_at: datetime,
    topics: str | None = None,
) -> Subscriber:
    """Taken apart at once, which takes half the time of looking up each column by its name, and
    mostly without names: Python calls with more than fifteen take five times as long."""
    return Subscriber(
        id,
        key,
        first_name,
        last_name,
        email,
        phone,
        avatar,
        locale,
        timezone,
        raw(data),
        msgspec.Raw(channels.encode()),
        is_online=is_online,
        last_online_at=last_online_at,
        version=version,
        created_at=created_at,
        updated_at=updated_at,
        topics=raw(topics),
    )


def _after(beginning: str) -> str:
    """The least text that comes after all that begin so."""
    return beginning + "\U0010ffff"


def _present(found: T | None, key: str) -> T:
    if found is None:
        raise NotFoundError(f"There is no subscriber {key!r}.", subscriberId=key)
    return found
