"""`tidings serve`: answers requests and runs the engine."""

import socket
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from tidings import __version__
from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    database_starting,
    fail,
    failing_clearly,
    listen,
    option,
    run,
    settings_from,
)
from tidings.settings import Settings


def serve(
    host: Annotated[str | None, option("host")] = None,
    port: Annotated[int | None, option("port", "-p")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    api_processes: Annotated[int | None, option("api_processes")] = None,
    engine_processes: Annotated[int | None, option("engine_processes")] = None,
    no_engine: Annotated[
        bool,
        typer.Option("--no-engine", help="Answer requests only; `tidings worker` runs the engine."),
    ] = False,
    listen_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
    ready_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Start Tidings: the API and the engine together, with an embedded PostgreSQL.

    Without any option it listens on http://127.0.0.1:8080 and keeps its data in ./tidings-data.
    Ctrl-C, or SIGTERM, stops it after the requests in flight are answered.
    """
    settings = settings_from(
        host=host,
        port=port,
        data_dir=data_dir,
        database_url=database_url,
        api_processes=api_processes,
        engine_processes=engine_processes,
    )
    if listen_fd is not None:
        _serve_alone(settings, socket.socket(fileno=listen_fd), not no_engine, ready_fd)
        return
    listening = _listen(settings)
    if settings.api_processes == 1 and settings.engine_processes == 0:
        _serve_alone(settings, listening, not no_engine, None)
    else:
        from tidings.cli.supervisor import supervise

        supervise(settings, listening, not no_engine, partial(_banner, settings, listening))


def _listen(settings: Settings) -> socket.socket:
    try:
        return listen(settings.host, settings.port)
    except OSError as error:
        fail(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror or error}. Stop "
            "what listens there, or choose another port with --port."
        )


def _serve_alone(
    settings: Settings, listening: socket.socket, engine: bool, ready_fd: int | None
) -> None:
    with failing_clearly(), database_starting(settings) as url:
        from tidings import app, foundation

        async def body() -> None:
            world = foundation.make_world(settings)
            async with foundation.open_database(settings, url()) as database:
                key = token = None
                if ready_fd is None:
                    await app.prepare(world, database)
                    key = await app.prepare_key(settings, world, database)
                    token = await app.prepare_setup(world, database)
                service = app.Service(settings, world, database)
                ready = _ready(settings, listening, key, token, ready_fd)
                await service.run(listening, engine, ready)

        run(body)


def _ready(
    settings: Settings,
    listening: socket.socket,
    key: str | None,
    token: str | None,
    ready_fd: int | None,
) -> Callable[[], Any]:
    if ready_fd is None:
        return lambda: _banner(settings, listening, key, token)
    from tidings.cli.supervisor import say_ready

    return lambda: say_ready(ready_fd)


def _banner(
    settings: Settings, listening: socket.socket, key: str | None, token: str | None
) -> None:
    host, port = listening.getsockname()[:2]
    address = f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{port}"  # noqa: S104
    dashboard = (settings.public_url or address).rstrip("/") + "/dashboard"
    database = "PostgreSQL at TIDINGS_DATABASE_URL"
    if settings.embedded:
        database = f"embedded PostgreSQL in {settings.data_path}"
    given = key is not None and key == settings.bootstrap_api_key
    shown = "$TIDINGS_BOOTSTRAP_API_KEY" if given else key or "$TIDINGS_API_KEY"
    lines = [
        f"Tidings {__version__} is ready ({'development' if settings.development else 'production'}"
        " mode).",
        "",
        f"  Dashboard {dashboard}",
        *([f"            first account: {dashboard}/first-owner?token={token}"] if token else []),
        f"  API       {address}",
        f"  API docs  {address}/docs",
        f"  Data      {database}",
    ]
    if key is None:
        lines.append("  API key   made at the first start; for another one run")
        lines.append(f"            {_keys_command(settings)}")
    elif given:
        lines.append("  API key   the one in TIDINGS_BOOTSTRAP_API_KEY (Development)")
    else:
        lines.append(f"  API key   {key}")
        lines.append("            (Development; shown this once, so keep it)")
    lines += ["", "Try it:", f'  curl {address}/v1/environments -H "Authorization: ApiKey {shown}"']
    if settings.development:
        lines += ["", "Development mode: outgoing calls may reach this machine (loopback)."]
    typer.echo("\n".join(lines) + "\n")


def _keys_command(settings: Settings) -> str:
    place = f" --data-dir {settings.data_dir}" if settings.data_dir != "tidings-data" else ""
    return f"tidings keys create --environment Development{place if settings.embedded else ''}"


def register(app: typer.Typer) -> None:
    app.command()(serve)
