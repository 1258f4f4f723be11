import base64
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import TEST_KEY
from tidings.actions import encryption
from tidings.clock import SystemClock
from tidings.domain.scope import Scope
from tidings.ids import Ids
from tidings.storage import secrets
from tidings.storage.database import Database
from tidings.storage.secrets import Sealer, WrongEncryptionKeyError
from tidings.world import World

NEW_KEY = bytes(32)


@given(st.binary(max_size=200), st.text(max_size=30))
def test_what_is_sealed_opens_again(value: bytes, environment: str) -> None:
    sealer = Sealer(lambda: [TEST_KEY])
    sealed = sealer.seal(value, environment)
    assert sealer.open(sealed, environment) == value
    assert secrets.sealed_with(sealed) == secrets.key_id(TEST_KEY)
    assert len(value) < 4 or value not in sealed


def test_it_opens_in_its_own_environment_only() -> None:
    sealer = Sealer(lambda: [TEST_KEY])
    sealed = sealer.seal(b"x", "one")
    with pytest.raises(WrongEncryptionKeyError, match="changed or moved"):
        sealer.open(sealed, "two")
    with pytest.raises(WrongEncryptionKeyError, match="changed or moved"):
        sealer.open(sealed[:-1] + bytes([sealed[-1] ^ 1]), "one")


def test_another_key_is_asked_for_by_its_id() -> None:
    sealed = Sealer(lambda: [TEST_KEY]).seal(b"x", "")
    with pytest.raises(WrongEncryptionKeyError, match=secrets.key_id(TEST_KEY).hex()):
        Sealer(lambda: [NEW_KEY]).open(sealed, "")
    assert Sealer(lambda: [NEW_KEY, TEST_KEY]).open(sealed, "") == b"x"


def test_a_rotation_by_another_process_is_noticed() -> None:
    keys = [TEST_KEY]
    sealer = Sealer(lambda: keys)
    keys.insert(0, NEW_KEY)
    sealed = Sealer(lambda: keys).seal(b"x", "")
    assert sealer.open(sealed, "") == b"x"


def test_the_key_file_is_made_once_and_private(tmp_path: Path) -> None:
    keys = secrets.read_key_file(tmp_path)
    assert [len(key) for key in keys] == [32]
    assert secrets.read_key_file(tmp_path) == keys
    path = tmp_path / secrets.KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert base64.b64decode(path.read_text()) == keys[0]
    assert os.listdir(tmp_path) == [secrets.KEY_FILE]


async def _secret(database: Database, scope: Scope, sealer: Sealer) -> bytes:
    async with database.connection() as connection:
        sealed = await connection.fetchval(
            "SELECT inbox_secret FROM environments WHERE id = $1", scope.environment_id
        )
    return sealer.open(sealed, scope.environment_id)


async def test_rotating_seals_everything_anew(
    database: Database, scope: Scope, world: World
) -> None:
    before = await _secret(database, scope, world.sealer)
    clock = SystemClock()
    rotated = World(clock, Ids(clock), Sealer(lambda: [NEW_KEY, TEST_KEY]))
    done = [count async for _, count in encryption.rotate(database, rotated)]
    assert sum(done) >= 2
    assert await _secret(database, scope, Sealer(lambda: [NEW_KEY])) == before
    assert [count async for _, count in encryption.rotate(database, rotated)] == []
    async with database.connection() as connection:
        with pytest.raises(WrongEncryptionKeyError):
            await secrets.check_key(connection, world.sealer)
        await secrets.check_key(connection, rotated.sealer)


async def test_every_sealed_column_belongs_to_an_environment(database: Database) -> None:
    """Rotation binds each value to its environment, so the table must say which that is."""
    async with database.connection() as connection:
        columns = await secrets.sealed_columns(connection)
        assert ("environments", "inbox_secret") in columns
        for table, column in columns:
            await secrets.reseal(connection, table, column, Sealer(lambda: [TEST_KEY]))
