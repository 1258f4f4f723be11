"""Mail from any program, over a real socket, is caught."""

import asyncio
from email.message import EmailMessage

import aiosmtplib
from aiosmtpd.smtp import SMTP

from tidings.cli.catch_smtp import Catcher
from tidings.domain.scope import Scope
from tidings.storage import catching
from tidings.storage.database import Database
from tidings.world import World


async def test_mail_is_caught(database: Database, scope: Scope, world: World) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "app@example.com", "ada@example.com", "Grüße"
    mail["X-Campaign"] = "spring"
    mail.set_content("Tee ist fertig")
    mail.add_alternative("<b>Tee</b>", subtype="html")
    mail.add_attachment(b"123", maintype="application", subtype="pdf", filename="tea.pdf")
    loop = asyncio.get_running_loop()
    catcher = Catcher(database, world, scope)
    server = await loop.create_server(lambda: SMTP(catcher, loop=loop), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        await aiosmtplib.send(
            mail, hostname="127.0.0.1", port=port, recipients=["ada@example.com", "bcc@example.com"]
        )
    async with database.connection() as connection:
        (caught,) = await catching.newest(connection, scope, catching.Filter(), 0, 10)
    assert caught.recipients == ("ada@example.com", "bcc@example.com")
    assert (caught.subject, (caught.text or "").strip()) == ("Grüße", "Tee ist fertig")
    assert "<b>Tee</b>" in (caught.html or "")
    assert caught.headers == {"From": "app@example.com", "X-Campaign": "spring"}
    (attachment,) = caught.attachments
    assert (attachment.name, attachment.mime, attachment.size) == ("tea.pdf", "application/pdf", 3)
