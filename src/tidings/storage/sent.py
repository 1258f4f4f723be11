"""Writing messages, in sets: new ones, and those of later attempts over those of earlier ones."""

from collections.abc import Callable, Sequence
from typing import Any

import asyncpg

from tidings.domain.messages import Message
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, json_of, json_unless_none

_COLUMNS = (
    "id",
    "organization_id",
    "environment_id",
    "notification_id",
    "job_id",
    "event_id",
    "transaction_id",
    "workflow_id",
    "step_id",
    "subscriber_id",
    "channel",
    "target",
    "provider_id",
    "integration_id",
    "provider_message_id",
    "status",
    "error_id",
    "error_text",
    "content",
    "subject",
    "address",
    "cta",
    "data",
    "avatar",
    "tags",
    "severity",
    "context_keys",
    "delivered_at",
    "created_at",
    "updated_at",
)
_ARRAYS = {
    "tags": " :: text[]",
    "context_keys": " :: text[]",
    "delivered_at": " :: timestamptz[]",
}
_TYPES = {
    "content": "jsonb",
    "address": "jsonb",
    "cta": "jsonb",
    "data": "jsonb",
    "created_at": "timestamptz",
    "updated_at": "timestamptz",
    **dict.fromkeys(_ARRAYS, "jsonb"),
}


async def add(connection: Connection, messages: Sequence[tuple[Scope, Message]]) -> None:
    """Of jobs that were probably not tried before; if one was after all, it is written over."""
    try:
        async with connection.transaction():
            await copy(connection, messages)
    except asyncpg.UniqueViolationError:
        await replace(connection, messages)


async def replace(connection: Connection, messages: Sequence[tuple[Scope, Message]]) -> None:
    """One row per job and target: a repetition writes over the row of the earlier attempt."""
    columns = list(zip(*(_values(scope, each, json_of) for scope, each in messages), strict=True))
    types = [_TYPES.get(name, "text") for name in _COLUMNS]
    given = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(types, 1))
    names = ", ".join(_COLUMNS)
    read = ", ".join(
        f"(SELECT coalesce(array_agg(value), '{{}}') FROM jsonb_array_elements_text(n.{name}))"
        + _ARRAYS[name]
        if name in _ARRAYS
        else f"n.{name}"
        for name in _COLUMNS
    )
    await connection.execute(
        f"INSERT INTO messages ({names}) SELECT {read} FROM unnest({given}) AS n ({names}) "
        "ON CONFLICT (job_id, md5(target)) DO UPDATE SET status = excluded.status, "
        "provider_id = excluded.provider_id, integration_id = excluded.integration_id, "
        "provider_message_id = excluded.provider_message_id, error_id = excluded.error_id, "
        "error_text = excluded.error_text, delivered_at = excluded.delivered_at, "
        "updated_at = excluded.updated_at",
        *columns,
    )


async def copy(connection: Connection, messages: Sequence[tuple[Scope, Message]]) -> None:
    """Of jobs that are new themselves; takes about half the time of the others."""
    await connection.copy_records_to_table(
        "messages",
        columns=_COLUMNS,
        records=[_copied(scope, message) for scope, message in messages],
    )


def _copied(scope: Scope, message: Message) -> tuple[Any, ...]:
    return _values(scope, message, _as_it_is)


def _as_it_is(value: Any) -> Any:
    return value


def _values(scope: Scope, message: Message, listed: Callable[[Any], Any]) -> tuple[Any, ...]:
    return (
        message.id,
        scope.organization_id,
        scope.environment_id,
        message.notification_id,
        message.job_id,
        message.event_id,
        message.transaction_id,
        message.workflow_id,
        message.step_id,
        message.subscriber_id,
        message.channel,
        message.target,
        message.provider_id,
        message.integration_id,
        message.provider_message_id,
        message.status,
        message.error_id,
        message.error_text,
        json_of(message.content),
        message.subject,
        json_of(message.address),
        json_of(message.cta),
        json_unless_none(message.data),
        message.avatar,
        listed(message.tags),
        message.severity,
        listed(message.context_keys),
        listed(message.delivered_at),
        message.created_at,
        message.created_at,
    )
