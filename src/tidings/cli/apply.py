"""`tidings apply`: makes what a file declares, and changes what differs from it."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidings.cli.common import DatabaseUrl, DataDir, fail, settings_from, with_database
from tidings.storage.database import Database
from tidings.world import World

if TYPE_CHECKING:
    from tidings.actions.declared import Difference


class _Undo(Exception):  # noqa: N818
    """Rolls a dry run back."""


def apply(
    file: Annotated[Path, typer.Argument(help="A .toml, .yaml or .yml file.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the differences and change nothing.")
    ] = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Bring environments, integrations and topics to the state that a file declares.

    May be run again and again: what is as declared is left alone, and what the file does not
    mention is never touched.
    """
    declared = _read(file)
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> "list[Difference]":
        from tidings import app
        from tidings.actions import declared as actions

        await app.prepare(world, database)
        found: list[Difference] = []
        try:
            async with database.transaction() as tx:
                found = await actions.apply(tx, world, declared)
                if dry_run:
                    raise _Undo
        except _Undo:
            pass
        return found

    _show(with_database(settings, work), dry_run)


def _read(file: Path) -> dict[str, Any]:
    if not file.is_file():
        fail(f"There is no file {file}.", code=2)
    text = file.read_text()
    try:
        if file.suffix == ".toml":
            found: Any = tomllib.loads(text)
        elif file.suffix in (".yaml", ".yml"):
            found = _yaml(text)
        else:
            fail(f"{file} must end in .toml, .yaml or .yml.", code=2)
    except ValueError as error:
        fail(f"{file} cannot be read: {error}", code=2)
    if not isinstance(found, dict):
        fail(f"{file} must hold a table of kinds, such as integrations.", code=2)
    return found


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _show(differences: "list[Difference]", dry_run: bool) -> None:
    for one in differences:
        typer.echo(f"{one.action:<9}  {one.kind}  {one.name}")
        for line in one.changes:
            typer.echo(f"           {line}")
    counted = sum(one.action != "unchanged" for one in differences)
    what = "would change" if dry_run else "changed"
    typer.echo(f"{len(differences)} declared, {counted} {what}.")


def register(app: typer.Typer) -> None:
    app.command()(apply)
