"""Puts the subscriber's door together: sessions for everyone, the rest for those with a token."""

from datetime import timedelta
from typing import Any

import msgspec
from litestar import Litestar, Response, Router
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.types import ASGIApp, ControllerRouterHandler, Middleware

from tidings import inbox
from tidings.actions.sessions import Rules
from tidings.dialect import Dialect
from tidings.hall.body import StrictJson
from tidings.hall.errors import Failures
from tidings.hall.finding import found
from tidings.hall.given import basics
from tidings.hall.unit import Transactions
from tidings.hall.wire import PageOut
from tidings.inbox import auth
from tidings.inbox.auth import Authenticate
from tidings.inbox.live import Live
from tidings.inbox.tokens import Tokens
from tidings.settings import Settings
from tidings.storage.database import Database
from tidings.world import World

PREFIX = "/v1/inbox"

# Browsers do not let `*` stand for Authorization, so every header is named.
_BROWSER_HEADERS = [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "Novu-API-Version",
    "Novu-Application-Identifier",
    "Novu-Client-Version",
    "X-Request-Id",
]


class Parts(msgspec.Struct, frozen=True):
    """What the door is given."""

    settings: Settings
    world: World
    database: Database
    tokens: Tokens
    live: Live


def build(parts: Parts) -> Litestar:
    return Litestar(
        route_handlers=[
            _router(parts, found(inbox, "HANDLERS"), guarded=True),
            _router(parts, found(inbox, "OPEN_HANDLERS"), guarded=False),
        ],
        exception_handlers={Exception: Failures(parts.world.clock).answer},
        openapi_config=None,
        request_max_body_size=parts.settings.body_limit,
        cors_config=CORSConfig(
            allow_origins=list(parts.settings.inbox_origins),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=_BROWSER_HEADERS,
            expose_headers=["Retry-After", "X-Request-Id"],
            max_age=3600,
        ),
        debug=False,
        logging_config=None,
    )


def _router(parts: Parts, handlers: list[ControllerRouterHandler], guarded: bool) -> Router:
    settings = parts.settings
    rules = Rules(
        settings.needs_inbox_hash,
        timedelta(hours=settings.inbox_token_hours),
        settings.open_inbox_topics,
    )

    def authenticate(app: ASGIApp) -> ASGIApp:
        return Authenticate(app, parts.tokens)

    def transactions(app: ASGIApp) -> ASGIApp:
        return Transactions(app, parts.database)

    middleware: list[Middleware] = [authenticate, transactions] if guarded else [transactions]
    return Router(
        path=PREFIX,
        route_handlers=handlers,
        dto=StrictJson,
        return_dto=None,
        after_request=_wrap,
        middleware=middleware,
        dependencies={
            **basics(parts.world, Dialect(settings.dialect)),
            **(auth.providers() if guarded else {}),
            "rules": Provide(lambda: rules, sync_to_thread=False),
            "live": Provide(lambda: parts.live, sync_to_thread=False),
        },
    )


async def _wrap(response: Response[Any]) -> Response[Any]:
    """The envelope that inbox clients unwrap, in every dialect; pages and nothing go without."""
    if not isinstance(response.content, PageOut | bytes | None):
        response.content = {"data": response.content}
    return response
