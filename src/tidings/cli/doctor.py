"""`tidings doctor`: looks at everything a start depends on, and says how to mend it."""

import ipaddress
import os
import socket
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import typer

from tidings.cli.common import DatabaseUrl, DataDir, database_starting, listen
from tidings.settings import Settings, WrongSettingError, load, unknown_variables

if TYPE_CHECKING:
    from tidings.storage.database import Database

_CLOCK_SECONDS = 2.0


class Finding(NamedTuple):
    level: Literal["ok", "warning", "problem"]
    subject: str
    text: str


def doctor(data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None:
    """Check settings, database, clock, port, encryption key and outbound guard.

    Every finding comes with its remedy. Exits with 1 when something would keep Tidings from
    starting or working. Changes nothing.
    """
    try:
        settings = load({"data_dir": data_dir, "database_url": database_url})
    except WrongSettingError as error:
        _report([Finding("problem", "settings", str(error))])
        return
    _report([*_settings(settings), *_database(settings), _port(settings), *_guard(settings)])


def _report(findings: list[Finding]) -> None:
    colors = {"ok": typer.colors.GREEN, "warning": typer.colors.YELLOW, "problem": typer.colors.RED}
    for finding in findings:
        level = typer.style(f"{finding.level:<8}", fg=colors[finding.level])
        typer.echo(f"{level} {finding.subject:<15} {finding.text}")
    if any(finding.level == "problem" for finding in findings):
        raise typer.Exit(1)


def _settings(settings: Settings) -> list[Finding]:
    mode = "development" if settings.development else "production"
    found = [Finding("ok", "settings", f"readable; {mode} mode, dialect {settings.dialect}")]
    for name in unknown_variables():
        text = f"{name} is set, and no setting has that name; unset it, or see the settings page."
        found.append(Finding("warning", "settings", text))
    if settings.development and settings.host not in ("127.0.0.1", "::1", "localhost"):
        text = f"listens on {settings.host} in development mode; set TIDINGS_MODE=production."
        found.append(Finding("warning", "settings", text))
    return found


def _database(settings: Settings) -> list[Finding]:
    import asyncio

    from tidings.storage.embedded import EmbeddedPostgres, EmbeddedPostgresError

    if settings.embedded and not EmbeddedPostgres(settings.data_path).exists:
        text = f"none yet in {settings.data_path}; `tidings serve` makes it."
        return [Finding("ok", "database", text), _disk(settings)]
    try:
        with database_starting(settings) as url:
            return [*asyncio.run(_ask(settings, url())), *([_disk(settings)] * settings.embedded)]
    except EmbeddedPostgresError as error:
        return [Finding("problem", "database", str(error))]


async def _ask(settings: Settings, url: str) -> list[Finding]:
    from tidings import foundation
    from tidings.storage.database import DatabaseRefusedError

    try:
        async with foundation.open_database(settings, url) as database:
            return [finding async for finding in _look_into(settings, database)]
    except DatabaseRefusedError as error:
        return [Finding("problem", "database", str(error))]


async def _look_into(settings: Settings, database: "Database") -> AsyncIterator[Finding]:
    from tidings import foundation
    from tidings.storage import health, migrate, secrets

    world = foundation.make_world(settings)
    async with database.connection() as connection:
        version = ".".join(map(str, connection.get_server_version()[:2]))
        yield Finding("ok", "database", f"PostgreSQL {version} answers")
        at, head = await migrate.current(connection), migrate.head()
        if at == head:
            yield Finding("ok", "migrations", f"up to date (revision {head})")
        else:
            text = f"at {at or 'nothing'}, needs {head}; run `tidings migrate`."
            yield Finding("warning", "migrations", text)
        skew = (await health.now(connection) - world.clock.now()).total_seconds()
        if abs(skew) < _CLOCK_SECONDS:
            yield Finding("ok", "clock", "agrees with the database")
        else:
            text = f"{skew:+.1f} s off the database's; set up time synchronisation (NTP)."
            yield Finding("problem", "clock", text)
        if at is not None:
            try:
                await secrets.check_key(connection, world.sealer)
                yield Finding("ok", "encryption key", "opens what the database holds")
            except secrets.WrongEncryptionKeyError as error:
                yield Finding("problem", "encryption key", str(error))


def _disk(settings: Settings) -> Finding:
    place = settings.data_path
    while not place.exists():
        place = place.parent
    free = os.statvfs(place)
    gigabytes = free.f_bavail * free.f_frsize / 1e9
    if gigabytes < 1:
        text = f"{gigabytes:.1f} GB free at {place}; make room or move the data directory."
        return Finding("problem", "disk", text)
    return Finding("ok", "disk", f"{gigabytes:.0f} GB free at {place}")


def _port(settings: Settings) -> Finding:
    where = f"{settings.host}:{settings.port}"
    try:
        listen(settings.host, settings.port).close()
    except OSError as error:
        if _answers(settings):
            text = f"{where} is taken, fine if by Tidings itself; else choose another with --port."
            return Finding("warning", "port", text)
        return Finding(
            "problem", "port", f"{where}: {error.strerror}; set another --host or --port"
        )
    return Finding("ok", "port", f"{where} is free")


def _answers(settings: Settings) -> bool:
    try:
        socket.create_connection((settings.host, settings.port), timeout=1).close()
    except OSError:
        return False
    return True


def _guard(settings: Settings) -> list[Finding]:
    found = []
    for network in settings.outbound_allow:
        if ipaddress.ip_network(network).prefixlen == 0:
            text = f"TIDINGS_OUTBOUND_ALLOW opens everything with {network}; name the networks."
            found.append(Finding("warning", "outbound guard", text))
    allowed = ", ".join(settings.outbound_allow) or "nothing"
    loopback = " and, in development, loopback" if settings.development else ""
    text = f"refuses private addresses; lets {allowed}{loopback} through"
    return [*found, Finding("ok", "outbound guard", text)]


def register(app: typer.Typer) -> None:
    app.command()(doctor)
