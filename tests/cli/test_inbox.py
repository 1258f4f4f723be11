"""`tidings inbox`."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner

from tests.conftest import TEST_KEY, make_world
from tidings.cli.main import build
from tidings.domain.scope import Scope
from tidings.domain.sessions import SigningKey
from tidings.storage import environments, signing_keys
from tidings.storage.database import Connection, Database
from tidings.world import World

T = TypeVar("T")
app = build()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, url: str, tmp_path: Path) -> None:
    monkeypatch.setenv("TIDINGS_MODE", "development")
    monkeypatch.setenv("TIDINGS_DATABASE_URL", url)
    monkeypatch.setenv("TIDINGS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TIDINGS_ENCRYPTION_KEY", base64.b64encode(TEST_KEY).decode())
    monkeypatch.setenv("TIDINGS_LOG_LEVEL", "error")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["inbox", *arguments, "--environment", "Development"])
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def asked(url: str, question: Callable[[Connection, Scope, World], Awaitable[T]]) -> T:
    async def ask() -> T:
        database = await Database.open(url, 2)
        try:
            async with database.connection() as connection:
                found = await environments.named(connection, "Development")
                scope = Scope(found.organization_id, found.id)
                return await question(connection, scope, make_world())
        finally:
            await database.close()

    return asyncio.run(ask())


async def secrets(connection: Connection, scope: Scope, world: World) -> list[str]:
    return await environments.inbox_secrets(connection, scope, world.sealer, world.clock.now())


async def current(connection: Connection, scope: Scope, world: World) -> SigningKey | None:
    return await signing_keys.current(connection, scope, world.sealer)


def test_the_secret_is_shown_and_changed_with_an_overlap(url: str) -> None:
    former = run("secret")
    present = run("rotate-secret")
    assert run("secret") == present != former
    assert asked(url, secrets) == [present, former]
    last = run("rotate-secret", "--keep-days", "0")
    assert asked(url, secrets) == [last]


def test_signing_keys_are_changed_and_sessions_ended(url: str) -> None:
    assert "signs from now on" in run("rotate-keys")
    first = asked(url, current)
    assert first is not None
    run("rotate-keys")

    async def of_first(connection: Connection, scope: Scope, world: World) -> bool:
        key = await signing_keys.find(connection, world.sealer, first.id)
        return key is not None and key.verifies_at(world.clock.now())

    assert asked(url, of_first)
    assert "ended" in run("rotate-keys", "--end-sessions")
    assert not asked(url, of_first)
    assert asked(url, current) is not None
