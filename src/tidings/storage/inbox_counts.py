"""How many messages wait in the inboxes of many subscribers, asked at once."""

from collections.abc import Sequence

import msgspec

from tidings.domain.inbox import MOST_COUNTED, SEVERITIES, Unread
from tidings.storage.database import Connection

_OPEN = (
    "m.subscriber_id = s.id AND m.channel = 'in_app' AND NOT m.read AND NOT m.archived "
    "AND m.snoozed_until IS NULL"
)
_COUNT = f"(SELECT count(*) FROM (SELECT FROM messages AS m WHERE {_OPEN} AND {{which}} LIMIT $2))"
_UNREAD = ", ".join(
    _COUNT.format(which=f"m.severity = '{each}'") + f" AS {each}_unread" for each in SEVERITIES
)
_UNSEEN = _COUNT.format(which="NOT m.seen") + " AS unseen"


class Counts(msgspec.Struct, frozen=True):
    unread: Unread
    unseen: int
    more_unseen: bool
    """Whether there are more than `unseen`."""


async def of(connection: Connection, subscriber_ids: Sequence[str]) -> dict[str, Counts]:
    """Those of connected inboxes, whose tokens name their environment."""
    rows = await connection.fetch(
        f"SELECT s.id, {_UNREAD}, {_UNSEEN} FROM unnest($1::text[]) AS s (id)",
        subscriber_ids,
        MOST_COUNTED + 1,
    )
    return {
        row["id"]: Counts(
            Unread.of({each: row[f"{each}_unread"] for each in SEVERITIES}),
            min(row["unseen"], MOST_COUNTED),
            row["unseen"] > MOST_COUNTED,
        )
        for row in rows
    }
