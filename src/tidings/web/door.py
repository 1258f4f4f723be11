"""Puts the dashboard together: pages, who may use them, and what happens around every request.

To add a page, say for topics:

1. `web/topics.py`: a docstring, handlers, then `HANDLERS = [...]` and `NAV = [Entry(...)]` at the
   end. Both are discovered; no shared file is touched.
2. A handler that shows: `@view("/{environment:str}/topics")`, `async def topics(visit: InVisit,
   conn: Conn) -> Response[str]`. It reads with storage functions, in `visit.scope`, and answers
   `visit.page("topics/list.html", title="Topics", found=found)`.
3. A handler that changes: `@change("/{environment:str}/topics", does="topic.create",
   again=_new_topic)`, with `tx: Tx, world: InWorld`. It takes `visit.form.text("name")`, calls one
   action, says what it touched with `visit.touch(topic.key, topic.name)` and answers
   `visit.go(visit.at("topics", topic.key), said="Topic made.")`. The transaction, the audit entry
   and the CSRF check happen around it. When the action refuses, `again(visit, conn, parameters)`
   draws the form with `visit.value(...)` and `visit.wrong(...)`.
4. The role is the decorator's: `viewer` for `view` and `editor` for `change` unless said
   otherwise. Templates hide what a visitor may not do with `{% if visit.may("editor") %}`.
5. `templates/topics/list.html` extends `layout.html` and uses the macros in `templates/parts/`.
   No inline script or style: the content security policy refuses them. Links are made with
   `visit.at(...)` (this environment) and `visit.places.path(...)` (whole installation).
6. `tests/browser/test_topics.py`: `signed_in("editor")`, `check_page(page)` in every look,
   the corpus of `tests/browser/xss.py` wherever users' data is shown.
"""

from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from tidings import web
from tidings.dialect import Dialect
from tidings.hall.finding import found
from tidings.hall.given import providers
from tidings.settings import Settings
from tidings.web.failing import Failures
from tidings.web.gate import Gate, Keeper, check_paths, header
from tidings.web.handlers import Does, Entry
from tidings.web.parts import Parts
from tidings.web.places import DASHBOARD, Places
from tidings.web.unit import WebUnit
from tidings.web.visit import Visit

__all__ = ["PREFIX", "Parts", "Threshold", "build"]

PREFIX = DASHBOARD


def build(parts: Parts) -> ASGIApp:
    handlers: list[HTTPRouteHandler] = found(web, "HANDLERS")
    for handler in handlers:
        assert isinstance(handler.opt.get("does"), Does), f"{handler}: use @view or @change"
    check_paths([path for handler in handlers for path in handler.paths])
    app = Litestar(
        route_handlers=[_guarded(parts, handlers), *found(web, "OPEN_HANDLERS")],
        exception_handlers={Exception: Failures(parts.settings, parts.world.clock).answer},
        openapi_config=None,
        debug=False,
        logging_config=None,
    )
    return _Headers(app)


def _guarded(parts: Parts, handlers: list[HTTPRouteHandler]) -> Router:
    entries: list[Entry] = sorted(found(web, "NAV"), key=lambda entry: entry.order)
    keeper = Keeper(parts.settings, parts.world, parts.database, tuple(entries))

    def gate(app: ASGIApp) -> ASGIApp:
        return Gate(app, keeper)

    def unit(app: ASGIApp) -> ASGIApp:
        return WebUnit(app, parts.database, parts.world)

    dialect = Dialect(parts.settings.dialect)
    given = providers(parts.world, dialect, parts.database, parts.network, parts.accepter)
    return Router(
        path=DASHBOARD,
        route_handlers=handlers,
        middleware=[gate, unit],
        dependencies={
            **given,
            "visit": Provide(_visit, sync_to_thread=False),
            "parts": Provide(lambda: parts, sync_to_thread=False),
        },
    )


def _visit(request: Request[Any, Any, Any]) -> Visit:
    visit: Visit = request.scope["state"]["visit"]
    return visit


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-frame-options": b"DENY",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
    b"cache-control": b"no-store",
}


class _Headers:
    """Tells browsers what these pages may do; a handler's own headers win."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                more = [pair for pair in _HEADERS.items() if pair[0] not in own]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Threshold:
    """Leads browsers that ask for nothing in particular to the dashboard."""

    def __init__(self, main: ASGIApp, settings: Settings) -> None:
        self._main = main
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = scope["path"] == "/" and scope.get("method") == "GET"
        if not asked or "text/html" not in header(scope, b"accept"):
            await self._main(scope, receive, send)
            return
        path = Places.of(scope, self._settings.public_url).path()
        answer: Response[None] = Response(None, status_code=302, headers={"Location": path})
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        await answer.to_asgi_response(app=None, request=request)(scope, receive, send)
