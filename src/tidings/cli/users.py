"""`tidings users`: makes, lists, changes and deletes the people who use the dashboard."""

import sys
from typing import Annotated

import typer

from tidings.cli.common import DatabaseUrl, DataDir, settings_from, with_database
from tidings.domain.users import User
from tidings.storage.database import Connection, Database
from tidings.world import World

users = typer.Typer(help="Manage who may use the dashboard.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(help="The address by which the account is known.")]
RoleName = Annotated[str, typer.Option(help="owner, editor or viewer.")]
PasswordStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin", help="Read the password from the first line of the standard input."
    ),
]


@users.command()
def create(
    email: Email,
    name: Annotated[str, typer.Option(help="How they are called.")] = "",
    role: RoleName = "owner",
    password_stdin: PasswordStdin = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make an account. Without --password-stdin a password is made and printed, this once."""
    given = _given(password_stdin)

    async def work(world: World, database: Database) -> str:
        from tidings.actions import users as actions
        from tidings.storage import environments

        password = given or world.ids.secret(10)
        async with database.transaction() as tx:
            await _up_to_date(tx)
            organization_id = await environments.organization_id(tx)
            await actions.create(tx, organization_id, world, email, name, role, password)
        return password

    made = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"Made {email}." if given else made)


@users.command(name="list")
def list_(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Show the accounts: address, role, how they sign in, when they were last seen."""

    async def work(world: World, database: Database) -> list[User]:
        from tidings.storage import environments
        from tidings.storage import users as stored

        async with database.connection() as connection:
            await _up_to_date(connection)
            organization_id = await environments.organization_id(connection)
            return await stored.all_of(connection, organization_id)

    found = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    if not found:
        typer.echo("There is nobody yet: tidings users create you@example.com")
        return
    typer.echo(f"{'ROLE':<6}  {'SIGNS IN WITH':<14}  {'LAST SEEN':<16}  E-MAIL")
    for user in found:
        seen = f"{user.last_seen_at:%Y-%m-%d %H:%M}" if user.last_seen_at else "-"
        ways = [way for way, has in (("password", user.password), ("OIDC", user.issuer)) if has]
        typer.echo(f"{user.role:<6}  {', '.join(ways) or '-':<14}  {seen:<16}  {user.email}")


@users.command(name="set-role")
def set_role(
    email: Email,
    role: Annotated[str, typer.Argument(help="owner, editor or viewer.")],
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Change what somebody may do; it holds from their next click on."""

    async def work(world: World, database: Database) -> None:
        from tidings.actions import users as actions

        async with database.transaction() as tx:
            await actions.set_role(tx, world, await _named(tx, email), role)

    with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"{email} is {role} now.")


@users.command(name="reset-password")
def reset_password(
    email: Email,
    password_stdin: PasswordStdin = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Set a new password and end all sessions of the account. Without --password-stdin one is made
    and printed, this once."""
    given = _given(password_stdin)

    async def work(world: World, database: Database) -> str:
        from tidings.actions import users as actions

        password = given or world.ids.secret(10)
        async with database.transaction() as tx:
            await actions.set_password(tx, world, await _named(tx, email), password)
        return password

    made = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"The password of {email} is changed." if given else made)


@users.command()
def delete(email: Email, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Delete an account and end its sessions. What they did stays in the audit log."""

    async def work(world: World, database: Database) -> None:
        from tidings.actions import users as actions

        async with database.transaction() as tx:
            await actions.remove(tx, world, await _named(tx, email))

    with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"Deleted {email}.")


def _given(wanted: bool) -> str | None:
    return sys.stdin.readline().rstrip("\r\n") if wanted else None


async def _named(connection: Connection, email: str) -> User:
    from tidings.storage import users as stored

    await _up_to_date(connection)
    return await stored.get_by_email(connection, email.strip().lower())


async def _up_to_date(connection: Connection) -> None:
    from tidings.domain.errors import RefusedError
    from tidings.storage import migrate

    if not await migrate.is_current(connection):
        raise RefusedError("The database is not up to date; run `tidings migrate` first.")


def register(app: typer.Typer) -> None:
    app.add_typer(users, name="users")
