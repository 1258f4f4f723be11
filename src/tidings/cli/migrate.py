"""`tidings migrate`: brings the database up to date."""

import typer

from tidings.cli.common import DatabaseUrl, DataDir, settings_from, with_database
from tidings.storage import migrate as migrations
from tidings.storage.database import Database
from tidings.world import World


def migrate(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Bring the database up to date, and make the first environments in a new one.

    `tidings serve` does this by itself at its start; run it alone to migrate before a roll-out.
    """
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> tuple[str | None, str]:
        from tidings import app

        async with database.connection() as connection:
            before = await migrations.current(connection)
        await app.prepare(world, database)
        return before, migrations.head()

    before, after = with_database(settings, work)
    if before == after:
        typer.echo(f"The database is up to date (revision {after}).")
    else:
        typer.echo(f"Migrated the database from {before or 'nothing'} to revision {after}.")


def register(app: typer.Typer) -> None:
    app.command()(migrate)
