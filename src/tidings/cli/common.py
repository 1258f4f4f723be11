"""What all commands share: their options, their settings, and how they fail."""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from tidings import log
from tidings.settings import Settings, WrongSettingError, load, rows, unknown_variables

if TYPE_CHECKING:
    from tidings.domain.scope import Scope
    from tidings.storage.database import Connection
    from tidings.storage.embedded import EmbeddedPostgres

T = TypeVar("T")

_HELP = {row.name: row.help.replace("`", "") for row in rows()}


def option(name: str, *more: str) -> Any:
    """The command-line option of a setting."""
    return typer.Option(f"--{name.replace('_', '-')}", *more, help=_HELP[name], show_default=False)


DataDir = Annotated[str | None, option("data_dir")]
DatabaseUrl = Annotated[str | None, option("database_url")]
EnvironmentName = Annotated[
    str, typer.Option("--environment", "-e", help="Name of the environment, such as Development.")
]


def settings_from(**flags: Any) -> Settings:
    """Settings with these flags on top; sets up the logs and tells of variables nobody reads."""
    try:
        settings = load(flags)
    except WrongSettingError as error:
        fail(str(error), code=2)
    log.never_show([getattr(settings, row.name) for row in rows() if row.secret])
    log.configure(settings.log_format, settings.log_level)
    for name in unknown_variables():
        log.get("settings").warning("unknown_variable", variable=name)
    return settings


def fail(message: str, code: int = 1) -> NoReturn:
    typer.secho(message, err=True, fg=typer.colors.RED if sys.stderr.isatty() else None)
    raise typer.Exit(code)


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Faults that a person can mend end the command with one sentence, not a traceback."""
    from tidings.domain.errors import TidingsError
    from tidings.storage.database import AWAY, DatabaseRefusedError
    from tidings.storage.embedded import EmbeddedPostgresError
    from tidings.storage.migrate import MigrationError
    from tidings.storage.secrets import WrongEncryptionKeyError

    try:
        yield
    except (
        TidingsError,
        DatabaseRefusedError,
        EmbeddedPostgresError,
        MigrationError,
        WrongEncryptionKeyError,
    ) as error:
        fail(_sentence(error))
    except AWAY as error:
        fail(f"The database went away: {str(error) or type(error).__name__}. Try again.")


def _sentence(error: Exception) -> str:
    from tidings.domain.errors import InvalidError

    if isinstance(error, InvalidError):
        found = error.problems.items()
        return "; ".join(f"{field} {', '.join(each.messages)}" for field, each in found) + "."
    return str(error)


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run to the end; a SIGTERM on the way still leaves everything in order."""
    import uvloop

    async def body() -> T:
        return await work()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with failing_clearly(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(body())


@contextmanager
def database_starting(settings: Settings) -> Iterator[Callable[[], str]]:
    """Starts the database in the background while the caller loads what it needs; the function
    that is handed out waits for its address."""
    if (given := settings.database_url) is not None:
        yield lambda: given
        return
    from tidings.storage.embedded import EmbeddedPostgres

    embedded = EmbeddedPostgres(settings.data_path)
    with failing_clearly(), ThreadPoolExecutor(1) as background:
        start = background.submit(_start, embedded)
        try:
            yield start.result
        finally:
            wait([start])
            embedded.stop()


def _start(embedded: "EmbeddedPostgres") -> str:
    fresh = not embedded.exists
    url = embedded.start()
    if fresh:
        from tidings.storage.migrate import migrate_apart

        migrate_apart(url)
    return url


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, made before anything that would have to be undone if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    listening.set_inheritable(True)
    return listening


def with_database(settings: Settings, work: Callable[..., Awaitable[T]]) -> T:
    """Run work(world, database) with the database at hand, started if it is ours to start."""
    with failing_clearly(), database_starting(settings) as url:
        from tidings import foundation

        async def body() -> T:
            async with foundation.open_database(settings, url()) as database:
                return await work(foundation.make_world(settings), database)

        return run(body)


async def scope_named(connection: "Connection", name: str) -> "Scope":
    """The environment of that name, in a database that is up to date."""
    from tidings.domain.scope import Scope
    from tidings.storage import environments, migrate

    if not await migrate.is_current(connection):
        from tidings.domain.errors import RefusedError

        raise RefusedError("The database is not up to date; run `tidings migrate` first.")
    found = await environments.named(connection, name)
    return Scope(found.organization_id, found.id)
