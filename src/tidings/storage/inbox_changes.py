"""Tells every process with connected inboxes whose messages changed, by LISTEN/NOTIFY.

Announcing belongs at the end of the transaction that changes the messages: one statement, however
many there are, and nothing is sent while no inbox is connected anywhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from tidings.domain.messages import Message
from tidings.domain.scope import Scope
from tidings.storage.database import Connection

CHANNEL = "tidings_inbox"
Kind = Literal["received", "changed"]

_LONGEST_PAYLOAD = 7900
"""PostgreSQL takes less than 8000 bytes."""
_MARKS: dict[Kind, str] = {"received": "+", "changed": "="}
_KINDS: dict[str, Kind] = {mark: kind for kind, mark in _MARKS.items()}


class Change(msgspec.Struct, frozen=True):
    """`received`: the message is new, or came back from a snooze. `changed`: the counts may differ
    from before; which message it was does not matter."""

    subscriber_id: str
    kind: Kind
    message_id: str | None = None


async def announce(connection: Connection, environment_id: str, changes: Sequence[Change]) -> None:
    """Heard by everyone concerned when the transaction commits."""
    if changes:
        await _announce(connection, list(payloads(environment_id, changes)))


async def announce_received(
    connection: Connection, messages: Iterable[tuple[Scope, Message]]
) -> None:
    """Those of the messages that are for inboxes have just been written."""
    received: dict[str, list[Change]] = {}
    for scope, message in messages:
        if message.channel == "in_app":
            change = Change(message.subscriber_id, "received", message.id)
            received.setdefault(scope.environment_id, []).append(change)
    if received:
        each = (payloads(environment_id, found) for environment_id, found in received.items())
        await _announce(connection, [payload for some in each for payload in some])


def payloads(environment_id: str, changes: Iterable[Change]) -> Iterator[str]:
    """As many changes in a payload as fit: the environment, then `+subscriber:message` each."""
    parts, size = [environment_id], len(environment_id)
    for part in dict.fromkeys(map(_written, changes)):
        if size + 1 + len(part) > _LONGEST_PAYLOAD:
            yield " ".join(parts)
            parts, size = [environment_id], len(environment_id)
        parts.append(part)
        size += 1 + len(part)
    yield " ".join(parts)


def environment_of(payload: str) -> str:
    return payload.partition(" ")[0]


def read(payload: str) -> Iterator[Change]:
    _, *parts = payload.split(" ")
    for part in parts:
        subscriber_id, _, message_id = part[1:].partition(":")
        yield Change(subscriber_id, _KINDS[part[0]], message_id or None)


def _written(change: Change) -> str:
    message = f":{change.message_id}" if change.kind == "received" else ""
    return f"{_MARKS[change.kind]}{change.subscriber_id}{message}"


async def _announce(connection: Connection, texts: list[str]) -> None:
    await connection.execute("SELECT announce_to_inboxes($1, $2::text[])", CHANNEL, texts)
