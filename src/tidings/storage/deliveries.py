"""Reports of vendors: written to the messages and jobs they are about, in sets; those that come
before their message was saved are kept for a while."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec

from tidings.domain import reports
from tidings.domain.deliveries import Event
from tidings.domain.messages import Message
from tidings.domain.reports import Noting
from tidings.domain.scope import Scope
from tidings.storage import messages, runs, suppressions
from tidings.storage.database import Connection, json_of

KEPT_FOR = timedelta(hours=1)
_MOST_AT_ONCE = 500
_EVENT = msgspec.json.Decoder(Event)


class Source(msgspec.Struct, frozen=True):
    """Whose reports they are."""

    scope: Scope
    integration_id: str
    provider_id: str


async def record(
    connection: Connection,
    source: Source,
    events: Sequence[Event],
    new_id: Callable[[], str],
    now: datetime,
) -> Noting:
    """Write down what concerns messages of ours."""
    known: dict[str, list[Message]] = {}
    ids = sorted({event.message_id for event in events})
    for message in await messages.lock_reported(
        connection, source.scope, source.integration_id, ids
    ):
        for id in {message.provider_message_id or message.id, message.id}:
            known.setdefault(id, []).append(message)
    job_ids = sorted({message.job_id for found in known.values() for message in found})
    proof = await runs.details_of(connection, job_ids)
    noting = reports.note(events, known, proof, source.provider_id, new_id, now)
    if noting.changes:
        await messages.note_reports(connection, noting.changes, now)
        await runs.add_details(connection, noting.details, now)
        await suppressions.add(connection, source.scope, noting.suppressed)
    return noting


async def keep(
    connection: Connection, source: Source, events: Sequence[Event], now: datetime
) -> None:
    """Until their messages are there."""
    await connection.executemany(
        "INSERT INTO early_reports (organization_id, environment_id, integration_id, provider_id, "
        "message_id, event, received_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [
            (
                source.scope.organization_id,
                source.scope.environment_id,
                source.integration_id,
                source.provider_id,
                event.message_id,
                json_of(event),
                now,
            )
            for event in events
        ],
    )


async def take_arrived(connection: Connection, now: datetime) -> dict[Source, list[Event]]:
    """Kept reports whose messages are there by now. Those kept too long are dropped."""
    await connection.execute("DELETE FROM early_reports WHERE received_at < $1", now - KEPT_FOR)
    rows = await connection.fetch(
        "WITH taken AS (DELETE FROM early_reports WHERE id IN (SELECT r.id FROM early_reports AS r "
        "WHERE EXISTS (SELECT FROM messages AS m WHERE m.integration_id = r.integration_id "
        "AND m.provider_message_id = r.message_id) OR EXISTS (SELECT FROM messages AS m "
        'WHERE m.id = r.message_id COLLATE "C" AND m.integration_id = r.integration_id) '
        "ORDER BY r.id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING *) SELECT * FROM taken "
        "ORDER BY id",
        _MOST_AT_ONCE,
    )
    found: dict[Source, list[Event]] = {}
    for row in rows:
        scope = Scope(row["organization_id"], row["environment_id"])
        source = Source(scope, row["integration_id"], row["provider_id"])
        found.setdefault(source, []).append(_EVENT.decode(row["event"]))
    return found
