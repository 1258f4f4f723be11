"""`tidings worker`: runs the engine without answering requests."""

from typing import Annotated

import typer

from tidings.cli.common import DatabaseUrl, DataDir, settings_from, with_database
from tidings.storage.database import Database
from tidings.world import World


def worker(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    ready_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run the engine only. Start as many as the work needs, on as many machines.

    All of them, and all `tidings serve --no-engine`, share one PostgreSQL server.
    """
    settings = settings_from(data_dir=data_dir, database_url=database_url)

    async def work(world: World, database: Database) -> None:
        from tidings import app

        if ready_fd is None:
            await app.prepare(world, database)
        await app.Service(settings, world, database).run(None, True, lambda: _ready(ready_fd))

    with_database(settings, work)


def _ready(ready_fd: int | None) -> None:
    if ready_fd is None:
        typer.echo("Tidings worker is ready.")
        return
    from tidings.cli.supervisor import say_ready

    say_ready(ready_fd)


def register(app: typer.Typer) -> None:
    app.command()(worker)
