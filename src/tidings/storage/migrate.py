"""Brings the schema up to date, exactly once, however many processes start together."""

import io
import subprocess
import sys
from pathlib import Path

import asyncpg

from tidings.storage.database import Connection, connect

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x7469_6469_6E67_73  # "tidings"
_PARTS = 0x7469_6470


class MigrationError(Exception):
    """The schema cannot be brought up to date; the message says why."""


def head() -> str:
    """The newest revision, read from the file names: no need to load Alembic to know it."""
    return max(path.name.split("_")[0] for path in (_FOLDER / "versions").glob("0*.py"))


async def current(connection: Connection) -> str | None:
    """The revision the database is at; None for a database that has none of our tables."""
    try:
        revision: str | None = await connection.fetchval("SELECT version_num FROM alembic_version")
    except asyncpg.UndefinedTableError:
        return None
    return revision


async def is_current(connection: Connection) -> bool:
    return await current(connection) == head()


async def migrate(url: str) -> list[str]:
    """Run what is pending in one transaction under an advisory lock; tell which revisions ran."""
    connection = await connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            found = await current_within(connection)
            pending = _pending(found)
            if pending:
                await connection.execute(_sql(found))
            return pending
    finally:
        await connection.close()


async def part_version(connection: Connection, name: str) -> str | None:
    """The version at which a library last made or upgraded its own tables here."""
    version: str | None = await connection.fetchval(
        "SELECT version FROM schema_parts WHERE name = $1", name
    )
    return version


async def lock_part(connection: Connection, name: str) -> None:
    """Hold back other processes that would upgrade the same part, until the transaction ends."""
    await connection.execute("SELECT pg_advisory_xact_lock($1, hashtext($2))", _PARTS, name)


async def note_part(connection: Connection, name: str, version: str) -> None:
    await connection.execute(
        "INSERT INTO schema_parts (name, version) VALUES ($1, $2) "
        "ON CONFLICT (name) DO UPDATE SET version = $2",
        name,
        version,
    )


def migrate_apart(url: str) -> None:
    """The same in a process of its own, so that a server does not carry Alembic in its memory."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import asyncio, sys; from tidings.storage.migrate import migrate; "
            "asyncio.run(migrate(sys.stdin.read()))",
        ],
        input=url.encode(),
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise MigrationError(f"The database could not be migrated: {' '.join(last)}")


async def current_within(connection: Connection) -> str | None:
    """As `current`, for use inside a transaction, which a failed query would spoil."""
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    return await current(connection)


def _pending(found: str | None) -> list[str]:
    revisions = sorted(path.name.split("_")[0] for path in (_FOLDER / "versions").glob("0*.py"))
    if found is not None and found not in revisions:
        raise MigrationError(
            f"The database is at revision {found}, which this version of Tidings does not know. "
            "Run the newer version that migrated it, or restore a back-up."
        )
    return [revision for revision in revisions if found is None or revision > found]


def _sql(found: str | None) -> str:
    from alembic import command
    from alembic.config import Config

    script = io.StringIO()
    config = Config(output_buffer=script)
    config.set_main_option("script_location", str(_FOLDER))
    command.upgrade(config, f"{found}:head" if found else "head", sql=True)
    return script.getvalue()
