"""`tidings keys`: makes, lists and revokes API keys, and changes the encryption key."""

import secrets as chance
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
from tidings.domain.keys import ApiKey
from tidings.storage.database import Database
from tidings.world import World

keys = typer.Typer(
    help="Make, list and revoke API keys; change the encryption key.", no_args_is_help=True
)


@keys.command()
def create(
    environment: EnvironmentName,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "Made by tidings keys",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make an API key and print it. It is shown this once and stored only as a digest."""

    async def work(world: World, database: Database) -> str:
        from tidings.actions import keys as actions

        async with database.transaction() as tx:
            _, secret = await actions.create(tx, await scope_named(tx, environment), world, name)
        return secret

    typer.echo(with_database(settings_from(data_dir=data_dir, database_url=database_url), work))


@keys.command(name="list")
def list_(
    environment: EnvironmentName, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Show the keys of an environment: name, last characters, when made, used and revoked."""

    async def work(world: World, database: Database) -> list[ApiKey]:
        from tidings.storage import keys as stored

        async with database.connection() as connection:
            return await stored.all_of(connection, await scope_named(connection, environment))

    found = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    if not found:
        typer.echo(f"{environment} has no key yet: tidings keys create --environment {environment}")
        return
    typer.echo(f"{'ID':<24}  {'KEY':<8}  {'MADE':<16}  {'LAST USED':<16}  {'REVOKED':<16}  NAME")
    for key in found:
        times = (key.created_at, key.last_used_at, key.revoked_at)
        shown = "  ".join(f"{f'{time:%Y-%m-%d %H:%M}' if time else '-':<16}" for time in times)
        typer.echo(f"{key.id}  ...{key.hint:<5}  {shown}  {key.name}")


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The ID that `tidings keys list` shows.")],
    environment: EnvironmentName,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make a key useless at once, in every running process. There is no way back."""

    async def work(world: World, database: Database) -> None:
        from tidings.actions import keys as actions

        async with database.transaction() as tx:
            await actions.revoke(tx, await scope_named(tx, environment), world, key_id)

    with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"Revoked {key_id}.")


@keys.command(name="rotate-encryption")
def rotate_encryption(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Encrypt all stored secrets anew.

    In development a new key is made in the data directory. With TIDINGS_ENCRYPTION_KEY set, put
    the new key in front of the old one, separated by a comma, run this, restart every process with
    the new value, and then remove the old key. May be interrupted and run again.
    """
    settings = settings_from(data_dir=data_dir, database_url=database_url)
    own_file = settings.encryption_key is None

    async def work(_: World, database: Database) -> int:
        from tidings import foundation
        from tidings.actions import encryption
        from tidings.storage import secrets

        if own_file:
            former = secrets.read_key_file(settings.data_path)
            secrets.write_key_file(settings.data_path, [chance.token_bytes(32), *former])
        total = 0
        async for column, done in encryption.rotate(database, foundation.make_world(settings)):
            total += done
            typer.echo(f"{column}: {total} values", err=True)
        if own_file:
            secrets.write_key_file(
                settings.data_path, secrets.read_key_file(settings.data_path)[:1]
            )
        return total

    total = with_database(settings, work)
    typer.echo(f"Encrypted {total} values with the new key.")


def register(app: typer.Typer) -> None:
    app.add_typer(keys, name="keys")
