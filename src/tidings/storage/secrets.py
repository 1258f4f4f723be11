"""Encryption at rest: AES-256-GCM with the key's id in front and the environment bound in.

A sealed value is `1 byte version | 8 bytes key id | 12 bytes nonce | ciphertext and tag`.
"""

import base64
import hashlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tidings.storage.database import Connection

KEY_FILE = "encryption.key"
_VERSION = b"\x01"
_CANARY = b"tidings"


class WrongEncryptionKeyError(Exception):
    """The data cannot be read with the keys at hand; the message says what to do."""


class Sealer:
    """Seals with the first key and opens with any. Asks its source again when it meets a key id it
    does not know, so that a rotation by another process is noticed."""

    def __init__(self, source: Callable[[], list[bytes]]) -> None:
        self._source = source
        self._load()

    def _load(self) -> None:
        keys = self._source()
        self._ciphers = {key_id(key): AESGCM(key) for key in keys}
        self.current = key_id(keys[0])

    def seal(self, value: bytes, environment_id: str) -> bytes:
        nonce = os.urandom(12)
        sealed = self._ciphers[self.current].encrypt(nonce, value, environment_id.encode())
        return _VERSION + self.current + nonce + sealed

    def open(self, sealed: bytes, environment_id: str) -> bytes:
        used = sealed_with(sealed)
        if used not in self._ciphers:
            self._load()
        if used not in self._ciphers:
            raise WrongEncryptionKeyError(
                f"The data was encrypted with the key {used.hex()}, which is not at hand. Put the "
                "former key back into TIDINGS_ENCRYPTION_KEY, behind the new one and a comma."
            )
        try:
            return self._ciphers[used].decrypt(sealed[9:21], sealed[21:], environment_id.encode())
        except InvalidTag:
            raise WrongEncryptionKeyError(
                "An encrypted value does not open in this environment: it was changed or moved."
            ) from None


def key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"tidings key id" + key).digest()[:8]


def sealed_with(sealed: bytes) -> bytes:
    """The id of the key a value was sealed with."""
    return sealed[1:9]


def read_key_file(data_path: Path) -> list[bytes]:
    """The keys of a development installation, newest first; the first one is made when missing."""
    path = data_path / KEY_FILE
    if not path.exists():
        write_key_file(data_path, [os.urandom(32)])
    return [base64.b64decode(line) for line in path.read_text().split()]


def write_key_file(data_path: Path, keys: list[bytes]) -> None:
    """Replace the key file in one step: a crash leaves the old one or the new one."""
    data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = data_path / f"{KEY_FILE}.{os.getpid()}"
    with open(draft, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("".join(base64.b64encode(key).decode() + "\n" for key in keys))
        file.flush()
        os.fsync(file.fileno())
    draft.rename(data_path / KEY_FILE)


async def check_key(connection: Connection, sealer: Sealer) -> None:
    """Refuse a key that cannot open what this database holds."""
    for canary in await connection.fetch("SELECT canary FROM encryption_keys"):
        sealer.open(canary["canary"], "")


async def remember_key(connection: Connection, sealer: Sealer, now: datetime) -> None:
    """Leave a canary of the current key, so that a wrong key is noticed at the next start."""
    await connection.execute(
        "INSERT INTO encryption_keys (id, canary, created_at) VALUES ($1, $2, $3) "
        "ON CONFLICT DO NOTHING",
        sealer.current.hex(),
        sealer.seal(_CANARY, ""),
        now,
    )


async def forget_other_keys(connection: Connection, sealer: Sealer) -> None:
    await connection.execute("DELETE FROM encryption_keys WHERE id <> $1", sealer.current.hex())


async def sealed_columns(connection: Connection) -> list[tuple[str, str]]:
    """Every table and column that holds sealed values, found by the columns' type."""
    rows = await connection.fetch(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE domain_name = 'sealed' AND table_schema = current_schema() ORDER BY 1, 2"
    )
    return [(row["table_name"], row["column_name"]) for row in rows]


async def reseal(
    connection: Connection, table: str, column: str, sealer: Sealer, limit: int = 500
) -> int:
    """Seal anew up to `limit` values that an older key sealed; tell how many. Locks those rows."""
    owner = "id" if table == "environments" else "environment_id"
    rows = await connection.fetch(
        f"SELECT ctid, {owner} AS owner, {column} AS value FROM {table} "
        f"WHERE {column} IS NOT NULL AND substring({column}::bytea FROM 2 FOR 8) <> $1 "
        f"LIMIT $2 FOR UPDATE",
        sealer.current,
        limit,
    )
    await connection.executemany(
        f"UPDATE {table} SET {column} = $2 WHERE ctid = $1",
        [(row["ctid"], _again(row["value"], row["owner"], sealer)) for row in rows],
    )
    return len(rows)


def _again(value: bytes, owner: str, sealer: Sealer) -> bytes:
    return sealer.seal(sealer.open(value, owner), owner)
