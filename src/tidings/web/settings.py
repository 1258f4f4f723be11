"""What the server runs with, and where each value comes from."""

from typing import Any

import msgspec
from litestar import Response

from tidings.hall.given import Conn
from tidings.settings import Settings, origins, rows
from tidings.web.handlers import Entry, view
from tidings.web.parts import InParts
from tidings.web.visit import InVisit


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    value: str
    hidden: bool
    origin: str
    help: str


@view("/settings")
async def show_settings(visit: InVisit, conn: Conn, parts: InParts) -> Response[str]:
    return visit.page("settings.html", title="Settings", rows=_shown(parts.settings))


def _shown(settings: Settings) -> list[Shown]:
    from_ = origins(settings)
    return [
        Shown(
            name=row.name,
            value="" if row.secret else _text(getattr(settings, row.name)),
            hidden=row.secret and getattr(settings, row.name) is not None,
            origin=from_[row.name],
            help=row.help.replace("`", ""),
        )
        for row in rows()
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(value) if isinstance(value, tuple) else str(value)


HANDLERS = [show_settings]
NAV = [
    Entry(
        label="Settings",
        path="settings",
        icon="settings",
        section="Administer",
        order=86,
        global_=True,
    )
]
