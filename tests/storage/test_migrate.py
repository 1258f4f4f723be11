import asyncio
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tidings.storage import migrate
from tidings.storage.database import Database


async def test_an_empty_database_is_brought_up_to_date(empty_url: str) -> None:
    assert (await migrate.migrate(empty_url))[-1] == migrate.head()
    assert await migrate.migrate(empty_url) == []
    database = await Database.open(empty_url, 2)
    async with database.connection() as connection:
        assert await migrate.is_current(connection)
    await database.close()


async def test_a_database_without_our_tables_has_no_revision(empty_url: str) -> None:
    connection = await asyncpg.connect(empty_url)
    assert await migrate.current(connection) is None
    await connection.close()


async def test_many_migrate_at_once_and_one_does(empty_url: str) -> None:
    ran = await asyncio.gather(*(migrate.migrate(empty_url) for _ in range(5)))
    assert sorted(len(each) > 0 for each in ran) == [False, False, False, False, True]


async def test_processes_migrate_at_once(empty_url: str) -> None:
    command = (
        "import sys; from tidings.storage.migrate import migrate_apart; migrate_apart(sys.argv[1])"
    )
    processes = [subprocess.Popen([sys.executable, "-c", command, empty_url]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]


async def test_a_database_of_a_newer_version_is_refused(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE alembic_version SET version_num = '9999'")
    await connection.close()
    with pytest.raises(migrate.MigrationError, match="9999"):
        await migrate.migrate(url)
    with pytest.raises(migrate.MigrationError, match="does not know"):
        migrate.migrate_apart(url)


def test_every_revision_follows_the_one_before() -> None:
    folder = Path(migrate.__file__).parent / "migrations" / "versions"
    before = "None"
    for path in sorted(folder.glob("0*.py")):
        number = path.name.split("_")[0]
        text = path.read_text()
        assert f'revision = "{number}"' in text
        assert f"down_revision = {before}" in text
        before = f'"{number}"'
