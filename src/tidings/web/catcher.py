"""The catcher: what development kept instead of sending, as its recipient would see it."""

from collections.abc import Mapping

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import catching as actions
from tidings.domain.catching import PROVIDERS, Caught
from tidings.domain.channels import CHANNELS, Channel
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import catching, integrations
from tidings.storage.catching import Filter
from tidings.web.drawing import render
from tidings.web.handlers import Entry, change, view
from tidings.web.integrations import CHANNEL_ICONS, CHANNEL_NAMES
from tidings.web.visit import InVisit, Visit

_PER_PAGE = 40
_NAMES: Mapping[Channel, str] = {
    key: name for key, name in CHANNEL_NAMES.items() if key != "in_app"
}
_FILTERS = ("channel", "recipient", "search")
_MOST_SHOWN = 10_000
"""How much of a source or a text is drawn; the rest can be opened by itself."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for, and the paths that ask for more of it."""

    visit: Visit
    query: dict[str, str]

    @classmethod
    def of(cls, visit: Visit) -> "Listed":
        asked = {name: visit.query.text(name) for name in _FILTERS}
        return cls(visit=visit, query={name: value for name, value in asked.items() if value})

    def filter(self, **more: str | None) -> Filter:
        channel = self.query.get("channel")
        known = channel if channel in CHANNELS else None
        wanted: dict[str, str | None] = {**self.query, "channel": known, **more}
        return Filter(**wanted)

    def path(self, **more: str | None) -> str:
        return self.visit.at("catcher", **self.query, **more)

    def newer(self, than: str) -> str:
        return self.visit.at("catcher", "newer", **self.query, than=than)


@view("/{environment:str}/catcher")
async def show_catcher(visit: InVisit, conn: Conn) -> Response[str]:
    listed, older_than = Listed.of(visit), visit.query.text("older")
    filter = listed.filter(older_than=older_than)
    found = await catching.glimpses(conn, visit.scope, filter, _PER_PAGE + 1)
    active = await integrations.all_of(conn, visit.scope, visit.world.sealer, active_only=True)
    sending = {each.channel for each in active if each.provider_id not in PROVIDERS.values()}
    return visit.page(
        "catcher/list.html",
        title="Catcher",
        listed=listed,
        found=found[:_PER_PAGE],
        older=found[_PER_PAGE - 1].id if len(found) > _PER_PAGE else None,
        first_page=older_than is None,
        any_there=bool(found) or await catching.any_there(conn, visit.scope),
        catching=visit.world.catching,
        sent_out=[name for key, name in _NAMES.items() if key in sending],
        names=_NAMES,
        icons=CHANNEL_ICONS,
    )


@view("/{environment:str}/catcher/newer")
async def show_newer(visit: InVisit, conn: Conn) -> Response[str]:
    """The rows above the newest that the page has; nothing when there are none."""
    listed, than = Listed.of(visit), visit.query.text("than")
    found = await catching.glimpses(
        conn, visit.scope, listed.filter(newer_than=than or ""), _PER_PAGE
    )
    if not found:
        return Response("", status_code=204)
    if than is None or len(found) == _PER_PAGE:
        return Response("", status_code=200, headers={"HX-Refresh": "true"})
    html = render(
        "catcher/newer.html",
        visit=visit,
        listed=listed,
        found=found,
        names=_NAMES,
        icons=CHANNEL_ICONS,
    )
    return Response(html, status_code=200, media_type="text/html; charset=utf-8")


@view("/{environment:str}/catcher/{id:str}")
async def show_caught(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    caught = await catching.get(conn, visit.scope, id)
    tabs = _tabs(caught)
    wanted = visit.query.get("show")
    tab = wanted if wanted in tabs else next(iter(tabs))
    return visit.page(
        "catcher/one.html",
        title=_title(caught),
        caught=caught,
        name=_name(caught),
        tabs=[
            (key, label, visit.at("catcher", caught.id, show=key)) for key, label in tabs.items()
        ],
        tab=tab,
        phone=visit.query.get("width") == "phone",
        content=(caught.html if tab == "source" else caught.text) or "",
        most_shown=_MOST_SHOWN,
        icons=CHANNEL_ICONS,
    )


def _title(caught: Caught) -> str:
    if caught.subject:
        return caught.subject
    to_number = caught.channel == "sms" and caught.recipients
    return f"SMS to {caught.recipients[0]}" if to_number else f"{_name(caught)} message"


def _name(caught: Caught) -> str:
    return CHANNEL_NAMES[caught.channel]


def _tabs(caught: Caught) -> dict[str, str]:
    """The ways to look at a message that it has something for."""
    ways = {
        "html": ("Preview", bool(caught.html)),
        "text": ("Text", bool(caught.text)),
        "source": ("Source", bool(caught.html)),
        "message": ("Preview", caught.channel != "email"),
        "headers": ("Headers", bool(caught.headers) or caught.channel == "email"),
    }
    return {key: label for key, (label, there) in ways.items() if there}


@view("/{environment:str}/catcher/{id:str}/html")
async def show_caught_html(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    """For the frame; it may load nothing from elsewhere."""
    caught = await catching.get(conn, visit.scope, id)
    return visit.framed(caught.html or "")


@view("/{environment:str}/catcher/{id:str}/whole/{part:str}")
async def show_caught_part(
    visit: InVisit, conn: Conn, id: FromPath[str], part: FromPath[str]
) -> Response[str]:
    """The whole source or text, as text."""
    caught = await catching.get(conn, visit.scope, id)
    text = caught.html if part == "source" else caught.text or caught.content
    return Response(text or "", status_code=200, media_type="text/plain; charset=utf-8")


@change("/{environment:str}/catcher/clear", does="catcher.clear")
async def clear_catcher(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    await actions.remove(tx, visit.scope, world, Filter())
    visit.touch(None, "all caught messages")
    return visit.go(visit.at("catcher"), "The catcher is empty.")


@change("/{environment:str}/catcher/{id:str}/delete", does="catcher.delete_message")
async def delete_caught(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    caught = await catching.get(tx, visit.scope, id)
    await actions.remove(tx, visit.scope, world, Filter(id=caught.id))
    visit.touch(caught.id, _title(caught))
    return visit.go(visit.at("catcher"), "The message is deleted.")


HANDLERS = [
    show_catcher,
    show_newer,
    show_caught,
    show_caught_html,
    show_caught_part,
    clear_catcher,
    delete_caught,
]
NAV = [Entry(label="Catcher", path="catcher", icon="inbox", section="Watch", order=55)]
