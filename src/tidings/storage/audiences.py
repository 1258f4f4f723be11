"""Whom topics and broadcasts reach, in ranges of subscriber ids."""

from collections.abc import Sequence

import msgspec

from tidings.domain.events import TopicRecipient
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, json_of


class Member(msgspec.Struct, frozen=True):
    subscriber_id: str
    topics: tuple[dict[str, str], ...] = ()
    """Through which it is reached: [{"_topicId", "topicKey"}]."""


async def upper_bound(
    connection: Connection,
    scope: Scope,
    topics: Sequence[TopicRecipient] | None,
    after: str,
    size: int,
) -> str | None:
    """The last of the next `size` subscribers after that one; None when there are no more.
    Without topics: everyone."""
    if topics is None:
        source, argument = "subscribers AS s WHERE s.environment_id = $1 AND s.id > $2", None
        column = "s.id"
    else:
        source = (
            "topic_subscriptions AS s WHERE s.topic_id IN (SELECT id FROM topics "
            "WHERE environment_id = $1 AND key = ANY ($4)) AND s.subscriber_id > $2"
        )
        argument, column = [topic.key for topic in topics], "s.subscriber_id"
    bound: str | None = await connection.fetchval(
        f"SELECT max(id) FROM (SELECT DISTINCT {column} AS id FROM {source} ORDER BY 1 LIMIT $3) x",
        scope.environment_id,
        after,
        size,
        *([] if argument is None else [argument]),
    )
    return bound


async def everyone(connection: Connection, scope: Scope, lower: str, upper: str) -> list[Member]:
    rows = await connection.fetch(
        "SELECT id FROM subscribers WHERE environment_id = $1 AND id > $2 AND id <= $3 ORDER BY id",
        scope.environment_id,
        lower,
        upper,
    )
    return [Member(row["id"]) for row in rows]


async def members(
    connection: Connection,
    scope: Scope,
    topics: Sequence[TopicRecipient],
    lower: str,
    upper: str,
    without: Sequence[str],
) -> list[Member]:
    """The distinct members of the topics in that range, without the subscribers with these keys;
    whom a topic excludes may still be reached through another."""
    rows = await connection.fetch(
        "SELECT m.subscriber_id, jsonb_agg(jsonb_build_object('_topicId', t.id, 'topicKey', t.key) "
        "ORDER BY t.key) AS topics FROM unnest($2::text[], $3::jsonb[]) AS named (key, exclude) "
        "JOIN topics AS t ON t.environment_id = $1 AND t.key = named.key "
        "JOIN topic_subscriptions AS m ON m.topic_id = t.id AND m.subscriber_id > $4 "
        "AND m.subscriber_id <= $5 JOIN subscribers AS s ON s.id = m.subscriber_id "
        "WHERE s.key <> ALL ($6) AND NOT named.exclude ? s.key "
        "GROUP BY m.subscriber_id ORDER BY m.subscriber_id",
        scope.environment_id,
        [topic.key for topic in topics],
        [json_of(topic.exclude) for topic in topics],
        lower,
        upper,
        list(without),
    )
    return [Member(row["subscriber_id"], tuple(msgspec.json.decode(row["topics"]))) for row in rows]
