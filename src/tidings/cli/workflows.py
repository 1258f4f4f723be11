"""`tidings workflows`: keeps workflows and layouts as files, in git or elsewhere."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    EnvironmentName,
    settings_from,
    with_database,
)
from tidings.domain.scope import Scope
from tidings.storage.database import Connection, Database
from tidings.world import World

if TYPE_CHECKING:
    from tidings.cli.workflow_files import Content
    from tidings.domain.workflows import Workflow

workflows = typer.Typer(
    help="Keep workflows and layouts as files: pull them, plan a change, apply it.",
    no_args_is_help=True,
)

Directory = Annotated[Path, typer.Argument(help="Directory of the files.", metavar="DIR")]


@workflows.command()
def pull(
    directory: Directory,
    environment: EnvironmentName,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Write the workflows and layouts of an environment into DIR. Files that an earlier pull wrote
    and that are no longer needed are removed; others stay."""

    async def work(world: World, database: Database) -> "Content":
        async with database.connection() as connection:
            return await _present(connection, await _scope(connection, environment))

    content = with_database(settings_from(data_dir=data_dir, database_url=database_url), work)
    from tidings.cli import workflow_files

    files = workflow_files.write(directory, content)
    typer.echo(
        f"Wrote {_count(len(content.workflows), 'workflow')} and "
        f"{_count(len(content.layouts), 'layout')} to {directory} ({_count(len(files), 'file')})."
    )


@workflows.command()
def plan(
    directory: Directory,
    environment: EnvironmentName,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Show what `apply` would change, and change nothing."""
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> list[str]:
        from tidings.cli import workflow_files

        wanted = workflow_files.read(directory)
        async with database.connection() as connection:
            present = await _present(connection, await _scope(connection, environment))
        return _difference(present, wanted, environment)

    for line in with_database(settings, work):
        typer.echo(line)


@workflows.command()
def apply(
    directory: Directory,
    environment: EnvironmentName,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Make the workflows and layouts of DIR be so in an environment, all or none. What is only in
    the environment stays. Applying twice changes nothing the second time."""
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> list[str]:
        from tidings.cli import workflow_files

        wanted = workflow_files.read(directory)
        async with database.transaction() as tx:
            scope = await _scope(tx, environment)
            lines = _difference(await _present(tx, scope), wanted, environment)
            saved = await _apply(tx, scope, world, wanted)
        return [*lines, *_issues(saved)]

    for line in with_database(settings, work):
        typer.echo(line)


async def _apply(tx: Connection, scope: Scope, world: World, wanted: "Content") -> list["Workflow"]:
    from tidings.actions import layouts as layout_actions
    from tidings.actions import workflows as actions
    from tidings.domain.errors import InvalidError, RefusedError
    from tidings.domain.workflows import Author

    author = Author("cli", "tidings workflows apply")
    saved = []
    what = ""
    try:
        for frame in sorted(wanted.layouts, key=lambda frame: not frame.is_default):
            what = f"layout {frame.key!r}"
            await layout_actions.put(tx, scope, world, frame)
        for definition in wanted.workflows:
            what = f"workflow {definition.key!r}"
            saved.append(await actions.put(tx, scope, world, definition, author))
    except InvalidError as error:
        reasons = [f"{field} {'; '.join(p.messages)}" for field, p in error.problems.items()]
        raise RefusedError(f"Nothing was applied. In {what}: {', '.join(reasons)}.") from None
    return saved


async def _present(connection: Connection, scope: Scope) -> "Content":
    from tidings.cli.workflow_files import Content
    from tidings.storage import layouts as stored_layouts
    from tidings.storage import workflows as stored

    return Content(
        [each.frame for each in await stored_layouts.all_of(connection, scope)],
        [each.definition for each in await stored.all_of(connection, scope)],
    )


def _difference(present: "Content", wanted: "Content", environment: str) -> list[str]:
    import msgspec

    from tidings.domain import differences

    layouts = {each.key: each for each in present.layouts}
    workflows = {each.key: each for each in present.workflows}
    lines: list[str] = []
    counts = {"added": 0, "changed": 0, "unchanged": 0}

    def tell(kind: str, key: str, new: bool, changes: Iterable[object]) -> None:
        told = [f"    {change}" for change in changes]
        outcome = "added" if new else "changed" if told else "unchanged"
        counts[outcome] += 1
        if outcome != "unchanged":
            lines.extend([f"{'+' if new else '~'} {kind} {key}", *told])

    for frame in wanted.layouts:
        former = layouts.pop(frame.key, None)
        pair = [msgspec.to_builtins(each) for each in (former, frame)]
        changes = [] if former is None else differences.of_values(*pair)
        # The default layout stays it until another one is: being told no changes nothing.
        changes = [each for each in changes if each.path != "is_default" or each.after]
        tell("layout", frame.key, former is None, changes)
    for definition in wanted.workflows:
        old = workflows.pop(definition.key, None)
        found = [] if old is None else differences.between(old, definition)
        tell("workflow", definition.key, old is None, found)
    for kind, left in (("layout", layouts), ("workflow", workflows)):
        lines += [f"  {kind} {key} is only in {environment} and stays" for key in left]
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    return [*lines, f"{environment}: {told}."]


def _issues(saved: Sequence["Workflow"]) -> list[str]:
    return [
        f"! workflow {workflow.key}, step {step.key}, {path}: {issue.message}"
        for workflow in saved
        for step in workflow.steps
        for path, issues in step.issues.items()
        for issue in issues
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


async def _scope(connection: Connection, name: str) -> Scope:
    from tidings.storage import environments, migrate

    if not await migrate.is_current(connection):
        from tidings.domain.errors import RefusedError

        raise RefusedError("The database is not up to date; run `tidings migrate` first.")
    found = await environments.named(connection, name)
    return Scope(found.organization_id, found.id)


def register(app: typer.Typer) -> None:
    app.add_typer(workflows, name="workflows")
