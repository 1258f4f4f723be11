"""`tidings inbox`: the secret that vouches for subscribers, and the keys that sign their tokens."""

from datetime import timedelta
from typing import Annotated

import typer

from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    EnvironmentName,
    scope_named,
    settings_from,
    with_database,
)
from tidings.storage.database import Database
from tidings.world import World

inbox = typer.Typer(
    help="Show and change the inbox secret; change signing keys; end sessions.",
    no_args_is_help=True,
)


@inbox.command()
def secret(
    environment: EnvironmentName, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Print the secret with which your server computes subscriber hashes. Keep it on the server."""

    async def work(world: World, database: Database) -> str:
        from tidings.actions import sessions

        async with database.connection() as connection:
            scope = await scope_named(connection, environment)
            return await sessions.inbox_secret(connection, scope, world)

    typer.echo(with_database(settings_from(data_dir=data_dir, database_url=database_url), work))


@inbox.command(name="rotate-secret")
def rotate_secret(
    environment: EnvironmentName,
    keep_days: Annotated[
        int, typer.Option(min=0, help="How many days hashes of the former secret are accepted.")
    ] = 7,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make a new inbox secret and print it. Hashes made with the former one stay good for a while,
    so that your servers can be changed one by one."""

    async def work(world: World, database: Database) -> str:
        from tidings.actions import sessions

        async with database.transaction() as tx:
            scope = await scope_named(tx, environment)
            serves = timedelta(days=keep_days)
            return await sessions.rotate_inbox_secret(tx, scope, world, serves)

    typer.echo(with_database(settings_from(data_dir=data_dir, database_url=database_url), work))


@inbox.command(name="rotate-keys")
def rotate_keys(
    environment: EnvironmentName,
    end_sessions: Annotated[
        bool, typer.Option("--end-sessions", help="Make every token worthless at once.")
    ] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Change the key that signs the tokens of subscribers. It also changes by itself every 30 days.
    Tokens that were given out stay good until they run out, unless you end all sessions."""
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> None:
        from tidings.actions import sessions

        async with database.transaction() as tx:
            scope = await scope_named(tx, environment)
            if end_sessions:
                await sessions.end_all(tx, scope, world)
            lifetime = timedelta(hours=settings.inbox_token_hours)
            await sessions.rotate_signing_key(tx, scope, world, lifetime)

    with_database(settings, work)
    typer.echo("All sessions have ended." if end_sessions else "A new key signs from now on.")


def register(app: typer.Typer) -> None:
    app.add_typer(inbox, name="inbox")
