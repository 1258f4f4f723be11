"""Puts the door together: routes, who may pass, and what happens around every request."""

from typing import Any

import msgspec
from litestar import Litestar, Response, Router
from litestar.config.cors import CORSConfig
from litestar.types import ASGIApp, ControllerRouterHandler

from tidings import api
from tidings.actions.accepting import Accepter
from tidings.api import reference
from tidings.api.auth import Authenticate, KeyRing
from tidings.api.health import Health
from tidings.api.limiting import HEADERS as LIMIT_HEADERS
from tidings.api.limiting import Limit, Limiter
from tidings.dialect import Dialect
from tidings.hall.body import StrictJson
from tidings.hall.errors import Failures
from tidings.hall.finding import found
from tidings.hall.given import providers
from tidings.hall.unit import UnitOfWork
from tidings.hall.wire import PageOut
from tidings.providers.delivery import Network
from tidings.settings import Settings
from tidings.storage.changes import Listener
from tidings.world import World

_BROWSER_HEADERS = [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Novu-API-Version",
    "Novu-Client-Version",
    "X-Request-Id",
]


class Parts(msgspec.Struct, frozen=True):
    """What the door is given."""

    settings: Settings
    world: World
    health: Health
    key_ring: KeyRing
    network: Network
    accepter: Accepter
    listener: Listener


def build(parts: Parts) -> Litestar:
    guarded_handlers, open_handlers = found(api, "HANDLERS"), found(api, "OPEN_HANDLERS")
    described = reference.handlers([*guarded_handlers, *open_handlers])
    app = Litestar(
        route_handlers=[guarded(parts, guarded_handlers), *open_handlers, *described],
        exception_handlers={Exception: Failures(parts.world.clock).answer},
        openapi_config=None,
        request_max_body_size=parts.settings.body_limit,
        cors_config=_cors(parts.settings),
        debug=False,
        logging_config=None,
    )
    app.state.health = parts.health
    app.state.world = parts.world
    app.state.network = parts.network
    return app


def guarded(parts: Parts, handlers: list[ControllerRouterHandler]) -> Router:
    """Handlers that need a key, with everything that happens around them."""
    dialect = Dialect(parts.settings.dialect)

    def authenticate(app: ASGIApp) -> ASGIApp:
        return Authenticate(app, parts.key_ring)

    rate = parts.settings.request_rate
    limiter = None if rate is None else Limiter(rate, parts.world.clock)

    def limit(app: ASGIApp) -> ASGIApp:
        return app if limiter is None else Limit(app, limiter)

    def unit_of_work(app: ASGIApp) -> ASGIApp:
        limit = parts.settings.body_limit
        return UnitOfWork(app, parts.health.database, parts.world, limit, parts.accepter)

    return Router(
        path="/",
        route_handlers=handlers,
        dto=StrictJson,
        return_dto=None,
        after_request=_wrap if dialect.wraps_answers else None,
        middleware=[authenticate, limit, unit_of_work],
        dependencies=providers(
            parts.world, dialect, parts.health.database, parts.network, parts.accepter
        ),
    )


async def _wrap(response: Response[Any]) -> Response[Any]:
    """The envelope of the dialects that have one; pages, documents and empty answers go without."""
    if not isinstance(response.content, PageOut | bytes | None):
        response.content = {"data": response.content}
    return response


def _cors(settings: Settings) -> CORSConfig | None:
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=_BROWSER_HEADERS,
        expose_headers=["Idempotency-Replay", *LIMIT_HEADERS, "Retry-After", "X-Request-Id"],
        max_age=3600,
    )
