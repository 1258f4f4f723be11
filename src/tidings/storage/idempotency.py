"""Answers kept under an idempotency key, written in the transaction of their effect.

While a request runs, its transaction holds an advisory lock that stands for the key: others see at
once that it is in flight, and the lock goes when the transaction ends, however it ends. A request
that keeps no transaction open leaves a marker instead, which dies with its lease.

An answer that shows a secret is kept sealed.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

import msgspec

from tidings.domain.scope import Scope
from tidings.storage.database import Connection
from tidings.storage.secrets import Sealer

RUNNING = 0


class Kept(msgspec.Struct, frozen=True):
    """An answer as it was first given."""

    fingerprint: bytes
    status: int
    content_type: str | None
    body: bytes


class Record(msgspec.Struct, frozen=True):
    """An answer to be kept, and under what."""

    environment_id: str
    digest: bytes
    kept: Kept

    @property
    def key(self) -> tuple[str, bytes]:
        return self.environment_id, self.digest


def digest(method: str, path: str, key: str) -> bytes:
    return hashlib.sha256(f"{method} {path}\n{key}".encode()).digest()[:16]


async def claim(
    connection: Connection,
    scope: Scope,
    sealer: Sealer,
    digest: bytes,
    oldest: datetime,
    oldest_marker: datetime,
) -> tuple[bool, Kept | None]:
    """Try to take the key for this transaction: whether it is ours, and the answer kept under it.

    The lookup may run on a snapshot older than the lock; `keep` then finds the row and raises.
    """
    row = await connection.fetchrow(
        "SELECT pg_try_advisory_xact_lock($1) AS ours, kept.fingerprint, kept.status, "
        "kept.content_type, kept.body, kept.sealed_body "
        "FROM (SELECT) AS one LEFT JOIN idempotency_records AS kept "
        "ON kept.environment_id = $2 AND kept.digest = $3 AND kept.created_at > $4 "
        "AND (kept.status <> 0 OR kept.created_at > $5)",
        _lock_number(scope, digest),
        scope.environment_id,
        digest,
        oldest,
        oldest_marker,
    )
    assert row is not None
    if row["status"] is None:
        return row["ours"], None
    if row["status"] == RUNNING:
        return False, None
    body = row["body"]
    if row["sealed_body"] is not None:
        body = sealer.open(row["sealed_body"], scope.environment_id)
    return row["ours"], Kept(row["fingerprint"], row["status"], row["content_type"], body)


async def mark(
    connection: Connection, scope: Scope, digest: bytes, fingerprint: bytes, now: datetime
) -> None:
    """Say that a request with this key runs, for one that keeps no transaction open; call it with
    the key claimed."""
    await connection.execute(
        "INSERT INTO idempotency_records (environment_id, digest, fingerprint, status, created_at)"
        " VALUES ($1, $2, $3, 0, $4) ON CONFLICT (environment_id, digest) DO UPDATE SET "
        "fingerprint = $3, status = 0, content_type = NULL, body = NULL, sealed_body = NULL, "
        "created_at = $4",
        scope.environment_id,
        digest,
        fingerprint,
        now,
    )


async def unmark(connection: Connection, scope: Scope, digest: bytes) -> None:
    """The request came to nothing that is worth keeping."""
    await connection.execute(
        "DELETE FROM idempotency_records WHERE environment_id = $1 AND digest = $2 AND status = 0",
        scope.environment_id,
        digest,
    )


async def keep(
    connection: Connection,
    scope: Scope,
    digest: bytes,
    kept: Kept,
    now: datetime,
    oldest: datetime,
    sealer: Sealer | None = None,
) -> bool:
    """Keep the answer, sealed if a sealer is given; False when a fresh one is kept under this key
    already."""
    sealed = None if sealer is None else sealer.seal(kept.body, scope.environment_id)
    kept_now = await connection.fetchval(
        "INSERT INTO idempotency_records AS r "
        "(environment_id, digest, fingerprint, status, content_type, body, created_at, "
        "sealed_body) VALUES ($1, $2, $3, $4, $5, $6, $7, $9) ON CONFLICT (environment_id, digest) "
        "DO UPDATE SET fingerprint = $3, status = $4, content_type = $5, body = $6, "
        "created_at = $7, sealed_body = $9 "
        "WHERE r.created_at <= $8 OR r.status = 0 RETURNING true",
        scope.environment_id,
        digest,
        kept.fingerprint,
        kept.status,
        kept.content_type,
        kept.body if sealed is None else None,
        now,
        oldest,
        sealed,
    )
    return bool(kept_now)


async def keep_many(
    connection: Connection, records: Sequence[Record], now: datetime, oldest: datetime
) -> dict[tuple[str, bytes], Kept]:
    """Keep answers under different keys, unless a fresh one is kept there already: those, by key.
    Waits for others who are keeping an answer under one of the keys."""
    ordered = sorted(records, key=lambda record: record.key)
    environments = [record.environment_id for record in ordered]
    digests = [record.digest for record in ordered]
    rows = await connection.fetch(
        "INSERT INTO idempotency_records AS r (environment_id, digest, fingerprint, status, "
        "content_type, body, created_at) SELECT *, $7 FROM unnest($1::text[], $2::bytea[], "
        "$3::bytea[], $4::smallint[], $5::text[], $6::bytea[]) "
        "ON CONFLICT (environment_id, digest) DO UPDATE SET fingerprint = excluded.fingerprint, "
        "status = excluded.status, content_type = excluded.content_type, body = excluded.body, "
        "created_at = $7 WHERE r.created_at <= $8 RETURNING environment_id, digest",
        environments,
        digests,
        [record.kept.fingerprint for record in ordered],
        [record.kept.status for record in ordered],
        [record.kept.content_type for record in ordered],
        [record.kept.body for record in ordered],
        now,
        oldest,
    )
    if len(rows) == len(ordered):
        return {}
    ours = {(row["environment_id"], row["digest"]) for row in rows}
    rows = await connection.fetch(
        "SELECT environment_id, digest, fingerprint, status, content_type, body "
        "FROM idempotency_records JOIN unnest($1::text[], $2::bytea[]) "
        "AS asked (environment_id, digest) USING (environment_id, digest)",
        environments,
        digests,
    )
    return {
        key: Kept(row["fingerprint"], row["status"], row["content_type"], row["body"])
        for row in rows
        if (key := (row["environment_id"], row["digest"])) not in ours
    }


async def forget(connection: Connection, oldest: datetime, limit: int = 5000) -> int:
    """Delete up to `limit` answers that are too old; tell how many."""
    done = await connection.execute(
        "DELETE FROM idempotency_records WHERE (environment_id, digest) IN "
        "(SELECT environment_id, digest FROM idempotency_records WHERE created_at <= $1 "
        "ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        oldest,
        limit,
    )
    return int(done.split()[-1])


def _lock_number(scope: Scope, digest: bytes) -> int:
    mixed = hashlib.sha256(scope.environment_id.encode() + digest).digest()
    return int.from_bytes(mixed[:8], "big", signed=True)
