"""`tidings catch-smtp`: takes mail of any program and shows it among the caught messages."""

import asyncio
import logging
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    EnvironmentName,
    fail,
    listen,
    scope_named,
    settings_from,
    with_database,
)

if TYPE_CHECKING:
    from tidings.domain.catching import Caught
    from tidings.domain.scope import Scope
    from tidings.storage.database import Database
    from tidings.world import World

_SHOWN_APART = ("to", "subject", "content-type", "content-transfer-encoding", "mime-version")


class Catcher:
    """What aiosmtpd hands every mail to."""

    def __init__(self, database: "Database", world: "World", scope: "Scope") -> None:
        self._database = database
        self._world = world
        self._scope = scope

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        from tidings.storage import catching

        mail = message_from_bytes(envelope.content, policy=policy.default)
        caught = read(mail, envelope.rcpt_tos, self._world)
        async with self._database.transaction() as tx:
            await catching.add(tx, [(self._scope, caught)])
        return f"250 Caught as {caught.id}"


def read(mail: EmailMessage, recipients: list[str], world: "World") -> "Caught":
    from tidings.domain.catching import Attached, Caught

    return Caught(
        id=world.ids.new(),
        channel="email",
        recipients=tuple(recipients),
        subject=_plain(str(mail["subject"])) if mail["subject"] else None,
        html=_part(mail, "html"),
        text=_part(mail, "plain"),
        headers={
            name: _plain(str(value))
            for name, value in mail.items()
            if name.lower() not in _SHOWN_APART
        },
        attachments=tuple(
            Attached(
                name=_plain(part.get_filename() or "attachment"),
                mime=part.get_content_type(),
                size=len(part.get_payload(decode=True) or b""),
            )
            for part in mail.iter_attachments()
        ),
        created_at=world.clock.now(),
    )


def _part(mail: EmailMessage, kind: str) -> str | None:
    part = mail.get_body(preferencelist=(kind,))
    if part is None:
        return None
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    try:
        return _plain(content.decode(part.get_content_charset("utf-8"), "replace"))
    except LookupError:
        return _plain(content.decode("utf-8", "replace"))


def _plain(text: str) -> str:
    """Without what PostgreSQL cannot keep in a text."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def catch_smtp(
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes any free one.")] = 1025,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    environment: EnvironmentName = "Development",
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Catch mail: accept it over SMTP and keep it where `GET /v1/catcher/messages` shows it.

    For development. Nothing is sent on, and any login is accepted, so keep the port to yourself.
    """
    settings = settings_from(data_dir=data_dir, database_url=database_url)
    if not settings.development:
        fail("catch-smtp is for development; start it with TIDINGS_MODE=development.")
    try:
        listening = listen(host, port)
    except OSError as error:
        fail(f"Cannot listen on {host}:{port}: {error.strerror}. Choose another --port.")

    async def work(world: "World", database: "Database") -> None:
        from aiosmtpd.smtp import SMTP, AuthResult

        # It logs every command, passwords included.
        logging.getLogger("mail.log").setLevel(logging.WARNING)

        async with database.connection() as connection:
            scope = await scope_named(connection, environment)
        catcher = Catcher(database, world, scope)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: SMTP(
                catcher,
                enable_SMTPUTF8=True,
                auth_require_tls=False,
                authenticator=lambda *_: AuthResult(success=True),
                loop=loop,
            ),
            sock=listening,
        )
        bound, number = listening.getsockname()[:2]
        typer.echo(f"Catching mail for {environment} on {bound}:{number}.")
        async with server:
            await server.serve_forever()

    with_database(settings, work)


def register(app: typer.Typer) -> None:
    app.command("catch-smtp")(catch_smtp)
