"""`tidings subscribers`: takes subscribers in from a file and writes them out to one."""

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    EnvironmentName,
    fail,
    scope_named,
    settings_from,
    with_database,
)
from tidings.storage.database import Database
from tidings.world import World

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from tidings.cli.records import Record
    from tidings.domain.scope import Scope

subscribers = typer.Typer(help="Import and export subscribers.", no_args_is_help=True)

_CHUNK = 5000


@subscribers.command(name="import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .csv file with a first line of column names, or .jsonl with one JSON object "
            "per line. Names: subscriberId, firstName, lastName, email, phone, avatar, locale, "
            "timezone, data.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ],
    environment: EnvironmentName,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every record and write nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted import stopped.")
    ] = False,
    errors: Annotated[
        Path | None,
        typer.Option(help="Where to list refused records.", show_default="FILE.errors.csv"),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Create or update subscribers from a file.

    Values that are given are written over those there are; empty ones change nothing. A record
    that breaks a rule is refused alone and listed, with its line and the reason, in the error
    file. Exits with 1 when there were any.
    """
    error_file = errors or file.with_name(file.name + ".errors.csv")

    async def work(world: World, database: Database) -> "_Count":
        return await _Import(world, database, file, error_file, dry_run).run(environment, resume)

    count = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    done = "would be written" if dry_run else f"written ({count.new} of them new)"
    typer.echo(f"{count.records} records: {count.records - count.failed} {done}.")
    if count.failed:
        fail(f"{count.failed} records were refused; {error_file} says which and why.")


@subscribers.command()
def export(
    environment: EnvironmentName,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A .csv or .jsonl file; unset: JSON lines to stdout."),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write all subscribers of an environment, oldest first, the way `import` reads them."""

    async def work(world: World, database: Database) -> int:
        return await _export(database, environment, output)

    written = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    typer.echo(f"{written} subscribers written.", err=True)


class _Count:
    """How an import stands."""

    def __init__(self, records: int = 0, failed: int = 0) -> None:
        self.records = records
        self.failed = failed
        self.new = 0


class _Import:
    def __init__(
        self, world: World, database: Database, file: Path, error_file: Path, dry_run: bool
    ) -> None:
        self._world = world
        self._database = database
        self._file = file
        self._error_file = error_file
        self._dry_run = dry_run

    async def run(self, environment: str, resume: bool) -> _Count:
        from tidings.actions import imports
        from tidings.cli.records import Reader, fingerprint
        from tidings.storage.imports import Progress

        mark = fingerprint(self._file)
        reader = Reader(self._file)
        async with self._database.transaction() as tx:
            scope = await scope_named(tx, environment)
            done = Progress()
            if not self._dry_run:
                done = await imports.begin(tx, scope, self._world, mark, resume)
        reader.skip(done.records)
        count = _Count(done.records, done.failed)
        with ExitStack() as stack:
            stack.callback(reader.close)
            refused = stack.enter_context(_error_list(self._error_file, append=done.failed > 0))
            bar = stack.enter_context(_progress())
            task = bar.add_task(self._file.name, total=reader.size)
            for chunk in _chunks(reader):
                await self._take(scope, mark, chunk, count)
                for record in chunk:
                    if record.profile is None:
                        refused.writerow((record.line, record.key, record.problem))
                bar.update(task, completed=reader.position)
        if not self._dry_run:
            async with self._database.transaction() as tx:
                await imports.finish(tx, scope, self._world, mark)
        if not count.failed:
            self._error_file.unlink()
        return count

    async def _take(self, scope: "Scope", mark: str, chunk: list["Record"], count: _Count) -> None:
        from tidings.actions import imports
        from tidings.storage.imports import Progress

        profiles = [record.profile for record in chunk if record.profile is not None]
        count.records += len(chunk)
        count.failed += len(chunk) - len(profiles)
        if not self._dry_run:
            progress = Progress(count.records, count.failed)
            async with self._database.transaction() as tx:
                count.new += await imports.load(tx, scope, self._world, mark, profiles, progress)


async def _export(database: Database, environment: str, output: Path | None) -> int:
    from tidings.cli.records import Writer, format_of
    from tidings.storage import subscribers as stored

    written = 0
    format = "jsonl" if output is None else format_of(output)
    async with database.transaction() as tx:
        scope = await scope_named(tx, environment)
        with _text(output) as file, _progress() as bar:
            task = bar.add_task(environment, total=await stored.count(tx, scope))
            writer = Writer(file, format)
            async for subscriber in stored.each(tx, scope):
                writer.write(subscriber)
                written += 1
                if written % _CHUNK == 0:
                    bar.update(task, completed=written)
            bar.update(task, completed=written)
    return written


@contextmanager
def _text(output: Path | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        return
    with output.open("w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def _error_list(path: Path, append: bool) -> Iterator[Any]:
    with path.open("a" if append else "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if not append:
            table.writerow(("line", "subscriberId", "problem"))
        yield table


@contextmanager
def _progress() -> Iterator["Bar"]:
    """A bar on the terminal, if there is one."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    ) as bar:
        yield bar


def _chunks(records: Iterable["Record"]) -> Iterator[list["Record"]]:
    left = iter(records)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk


def register(app: typer.Typer) -> None:
    app.add_typer(subscribers, name="subscribers")
