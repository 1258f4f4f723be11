"""Which subscribers belong to which topics."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from tidings.domain.paging import Asked, Page
from tidings.domain.scope import Scope
from tidings.domain.topics import Member, Subscription, Topic
from tidings.storage import paging
from tidings.storage.database import Connection, Row

_COLUMNS = (
    "r.id, r.identifier, r.created_at, t.id AS topic_id, t.key AS topic_key, t.name AS topic_name, "
    "t.created_at AS topic_created_at, t.updated_at AS topic_updated_at, s.id AS subscriber_id, "
    "s.key AS subscriber_key, s.first_name, s.last_name, s.email, s.avatar"
)
_JOINS = "JOIN topics AS t ON t.id = r.topic_id JOIN subscribers AS s ON s.id = r.subscriber_id "
_LAST_CHANGE = "id"  # they are made and removed, never changed

OF_TOPIC = paging.Listing(
    columns=_COLUMNS,
    source="topic_subscriptions AS r",
    joins=_JOINS,
    where="r.environment_id = $1 AND r.topic_id = $2",
    last_change=_LAST_CHANGE,
)
OF_SUBSCRIBER = paging.Listing(
    columns=_COLUMNS,
    source="topic_subscriptions AS r",
    joins=_JOINS,
    where="r.environment_id = $1 AND r.subscriber_id = $2",
    last_change=_LAST_CHANGE,
)


async def page_of_topic(
    connection: Connection, scope: Scope, topic_id: str, asked: Asked, subscriber_id: str | None
) -> Page[Subscription]:
    filters = [] if subscriber_id is None else [("subscriber_id", subscriber_id)]
    arguments = [scope.environment_id, topic_id]
    return await paging.page(connection, OF_TOPIC, asked, arguments, filters, _subscription)


async def page_of_subscriber(
    connection: Connection, scope: Scope, subscriber_id: str, asked: Asked, topic_id: str | None
) -> Page[Subscription]:
    filters = [] if topic_id is None else [("topic_id", topic_id)]
    arguments = [scope.environment_id, subscriber_id]
    return await paging.page(connection, OF_SUBSCRIBER, asked, arguments, filters, _subscription)


async def subscriber_ids(
    connection: Connection, scope: Scope, keys: Collection[str]
) -> dict[str, str]:
    """The ids of those subscribers that exist, by key."""
    rows = await connection.fetch(
        "SELECT key, id FROM subscribers WHERE environment_id = $1 AND key = ANY ($2) "
        "ORDER BY id FOR KEY SHARE",
        scope.environment_id,
        list(keys),
    )
    return {row["key"]: row["id"] for row in rows}


async def add(
    connection: Connection,
    scope: Scope,
    topic_id: str,
    ids: Sequence[str],
    wanted: Mapping[str, str],
    now: datetime,
) -> None:
    """Subscribe, by subscriber id and identifier, whoever is not subscribed and whose identifier
    is free."""
    rows = sorted(zip(wanted.items(), ids, strict=True))
    await connection.execute(
        "INSERT INTO topic_subscriptions "
        "(environment_id, topic_id, id, subscriber_id, identifier, created_at) "
        "SELECT $1, $2, given.*, $6 FROM unnest($3::text[], $4::text[], $5::text[]) AS given "
        "ON CONFLICT DO NOTHING",
        scope.environment_id,
        topic_id,
        [id for _, id in rows],
        [subscriber_id for (subscriber_id, _), _ in rows],
        [identifier for (_, identifier), _ in rows],
        now,
    )


async def of_members(
    connection: Connection,
    scope: Scope,
    topic_id: str,
    subscriber_ids: Collection[str],
    identifiers: Collection[str] = (),
) -> list[Subscription]:
    """The subscriptions of these subscribers, or of these identifiers, in no particular order."""
    rows = await connection.fetch(
        f"SELECT {_COLUMNS} FROM topic_subscriptions AS r {_JOINS}"
        "WHERE r.environment_id = $1 AND r.topic_id = $2 "
        "AND (r.subscriber_id = ANY ($3) OR r.identifier = ANY ($4))",
        scope.environment_id,
        topic_id,
        list(subscriber_ids),
        list(identifiers),
    )
    return [_subscription(row) for row in rows]


async def remove(connection: Connection, scope: Scope, ids: Collection[str]) -> None:
    await connection.execute(
        "DELETE FROM topic_subscriptions WHERE environment_id = $1 AND id = ANY ($2)",
        scope.environment_id,
        list(ids),
    )


def _subscription(row: Row) -> Subscription:
    return Subscription(
        id=row["id"],
        identifier=row["identifier"],
        topic=Topic(
            id=row["topic_id"],
            key=row["topic_key"],
            name=row["topic_name"],
            created_at=row["topic_created_at"],
            updated_at=row["topic_updated_at"],
        ),
        subscriber=Member(
            id=row["subscriber_id"],
            key=row["subscriber_key"],
            first_name=row["first_name"],
            last_name=row["last_name"],
            email=row["email"],
            avatar=row["avatar"],
        ),
        created_at=row["created_at"],
    )
