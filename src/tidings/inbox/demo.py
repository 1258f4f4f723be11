"""The inbox demonstration, in development only: two windows, and a form that really triggers."""

import mimetypes
from pathlib import Path
from typing import Annotated, Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Request, Response, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.types import ControllerRouterHandler
from msgspec import Meta

from tidings.actions import demonstration, inbox_sessions
from tidings.actions.demonstration import PEOPLE, Kind, Person
from tidings.domain.errors import ForbiddenError, NotFoundError
from tidings.domain.inbox_sessions import subscriber_hash
from tidings.hall.given import Conn, InAccepter, InWorld
from tidings.hall.unit import OWN_TRANSACTIONS
from tidings.hall.wire import Out

PATH = "/demo/inbox"
_HERE = Path(__file__).parent
_ASSETS = ("demo.css", "demo.js", "window.js")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; "
        "form-action 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_TEMPLATES = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


class TriggerIn(msgspec.Struct, kw_only=True):
    people: Annotated[list[Person], Meta(min_length=1, max_length=len(PEOPLE))]
    kind: Kind = "comment"
    title: Annotated[str, Meta(min_length=1, max_length=200)]
    text: Annotated[str, Meta(max_length=2000)] = ""


class TriggerOut(Out, frozen=True, kw_only=True):
    transaction_id: str


@get(PATH, include_in_schema=False)
async def show() -> Response[str]:
    return _page("demo.html", people=PEOPLE)


@get(f"{PATH}/window/{{who:str}}", include_in_schema=False)
async def show_window(
    who: FromPath[str],
    conn: Conn,
    world: InWorld,
    dir: FromQuery[str] = "ltr",
    lang: FromQuery[str] = "en",
    theme: FromQuery[str] = "auto",
    placement: FromQuery[str] = "bottom-end",
) -> Response[str]:
    """The page of one person, as a product would have it."""
    person = next((each for each in PEOPLE if each == who), None)
    if person is None:
        raise NotFoundError(f"There is no window of {who!r}; there are {', '.join(PEOPLE)}.")
    scope, application = await demonstration.development(conn)
    key = demonstration.subscriber_key(person)
    secret = await inbox_sessions.inbox_secret(conn, scope, world)
    return _page(
        "window.html",
        person=person,
        application=application,
        subscriber=key,
        hash=subscriber_hash(secret, key),
        dir="rtl" if dir == "rtl" else "ltr",
        lang=lang,
        theme=theme,
        placement=placement,
    )


@get(f"{PATH}/static/{{name:str}}", include_in_schema=False)
async def asset(name: FromPath[str]) -> Response[bytes]:
    if name not in _ASSETS:
        raise NotFoundError(f"There is no file {name!r} here.")
    media_type = mimetypes.guess_type(name)[0]
    content = (_HERE / "static" / name).read_bytes()
    return Response(content, media_type=media_type, headers=_HEADERS)


@post(f"{PATH}/trigger", include_in_schema=False, opt=OWN_TRANSACTIONS)
async def trigger(
    data: JSONBody[TriggerIn],
    request: Request[Any, Any, Any],
    world: InWorld,
    accepter: InAccepter,
) -> TriggerOut:
    """Without a key, so only for the page itself: no other site may send this for its visitor."""
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise ForbiddenError("Only the demonstration page itself may trigger here.")
    async with accepter.database.transaction() as tx:
        scope, _ = await demonstration.development(tx)
        await demonstration.prepare(tx, scope, world)
    people = tuple(dict.fromkeys(data.people))
    id = await demonstration.trigger(
        accepter, scope, world, data.kind, people, data.title, data.text
    )
    return TriggerOut(transaction_id=id)


def _page(name: str, **values: object) -> Response[str]:
    content = _TEMPLATES.get_template(name).render(**values)
    return Response(content, media_type="text/html", headers=_HEADERS)


PAGES: list[ControllerRouterHandler] = [show, show_window, asset, trigger]
