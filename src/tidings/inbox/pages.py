"""Puts together what the inbox shows to browsers: the element for everyone, the demonstration in
development."""

import msgspec
from litestar import Litestar
from litestar.di import Provide

from tidings.actions.accepting import Accepter
from tidings.dialect import Dialect
from tidings.hall.body import StrictJson
from tidings.hall.errors import Failures
from tidings.hall.given import basics, provided
from tidings.hall.unit import Transactions
from tidings.inbox import demo, element
from tidings.settings import Settings
from tidings.storage.database import Database
from tidings.world import World

PREFIXES = (element.PATH, demo.PATH)


class Parts(msgspec.Struct, frozen=True):
    """What the pages are given."""

    settings: Settings
    world: World
    database: Database
    accepter: Accepter


def build(parts: Parts) -> Litestar:
    return Litestar(
        route_handlers=[*element.PAGES, *(demo.PAGES if parts.settings.development else ())],
        exception_handlers={Exception: Failures(parts.world.clock).answer},
        middleware=[lambda app: Transactions(app, parts.database)],
        dependencies={
            **provided(basics(parts.world, Dialect(parts.settings.dialect))),
            "accepter": Provide(lambda: parts.accepter, sync_to_thread=False),
        },
        dto=StrictJson,
        return_dto=None,
        openapi_config=None,
        request_max_body_size=parts.settings.body_limit,
        debug=False,
        logging_config=None,
    )
