"""Integrations: who delivers each channel, how well, and what can be connected."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.domain.catching import PROVIDERS
from tidings.domain.channels import CHANNELS, Channel
from tidings.domain.errors import NotFoundError
from tidings.domain.figures import Health
from tidings.domain.integrations import WITH_PRIMARY, Integration, in_order
from tidings.hall.given import Conn
from tidings.providers import registry
from tidings.providers.base import AnyProvider, spoken
from tidings.storage import figures, integrations
from tidings.storage.database import Connection
from tidings.web.handlers import Entry, view
from tidings.web.visit import InVisit, Visit

CHANNEL_NAMES: Mapping[Channel, str] = {
    "email": "E-mail",
    "sms": "SMS",
    "push": "Push",
    "chat": "Chat",
    "in_app": "In-app",
}
CHANNEL_ICONS: Mapping[Channel, str] = {
    "email": "mail",
    "sms": "phone",
    "push": "bell",
    "chat": "chat",
    "in_app": "inbox",
}
LOOKED_BACK = timedelta(days=1)
_ERRORS_SHOWN = 10


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """An integration, as pages tell of it."""

    integration: Integration
    provider: AnyProvider | None
    health: Health
    place: int | None = None
    """Which one is tried, counted from 1; None where that is not the question."""

    @property
    def vendor(self) -> str:
        return self.provider.name if self.provider else self.integration.provider_id

    @property
    def tryable(self) -> bool:
        """Whether there is anybody to send a test message to."""
        return self.provider is not None and self.provider.id not in PROVIDERS.values()

    @property
    def state(self) -> tuple[str, str]:
        """In a word, and its tone."""
        if not self.integration.active:
            return "Off", ""
        if self.health.troubled:
            return "In trouble", "bad"
        return ("Well", "good") if self.health.sent else ("Nothing sent lately", "")


async def everyone(visit: Visit, conn: Connection) -> list[Shown]:
    """The environment's integrations by channel, in the order in which they are tried."""
    found = await integrations.all_of(conn, visit.scope, visit.world.sealer)
    known = await figures.healths(conn, visit.scope, visit.now - LOOKED_BACK)
    return [shown for channel in CHANNEL_NAMES for shown in _of_channel(found, channel, known)]


def _of_channel(
    found: Sequence[Integration], channel: Channel, known: Mapping[str, Health]
) -> list[Shown]:
    return [
        Shown(
            integration=each,
            provider=registry.find(each.provider_id),
            health=known.get(each.id, Health()),
            place=number if each.active and channel in WITH_PRIMARY else None,
        )
        for number, each in enumerate(in_order(found, channel), 1)
    ]


async def one_of(visit: Visit, conn: Connection, key: str) -> tuple[Shown, list[Shown]]:
    """The one with that identifier or id, and all of its channel."""
    every = await everyone(visit, conn)
    for shown in every:
        if key in (shown.integration.identifier, shown.integration.id):
            channel = shown.integration.channel
            return shown, [each for each in every if each.integration.channel == channel]
    raise NotFoundError(
        "There is no such integration, or it was deleted. Choose one from the list.", key=key
    )


@view("/{environment:str}/integrations")
async def show_integrations(visit: InVisit, conn: Conn) -> Response[str]:
    every = await everyone(visit, conn)
    return visit.page(
        "integrations/list.html",
        title="Integrations",
        channels={
            channel: [each for each in every if each.integration.channel == channel]
            for channel in CHANNEL_NAMES
        },
        names=CHANNEL_NAMES,
        icons=CHANNEL_ICONS,
        with_primary=WITH_PRIMARY,
        catching=visit.world.catching,
    )


@view("/{environment:str}/integrations/-/catalogue")
async def show_catalogue(visit: InVisit, conn: Conn) -> Response[str]:
    """Every provider, or those that are looked for. No identifier is `-`, so none hides it."""
    wanted, search = visit.query.get("channel"), visit.query.get("search").strip()
    channel = wanted if wanted in CHANNELS else ""
    found = [
        each
        for each in registry.every().values()
        if channel in ("", each.channel) and _matches(each, search)
    ]
    own = await integrations.all_of(conn, visit.scope, visit.world.sealer)
    connected = [each.provider_id for each in own]
    return visit.page(
        "integrations/catalogue.html",
        title="Catalogue of providers",
        found=sorted(found, key=lambda each: list(CHANNEL_NAMES).index(each.channel)),
        total=len(registry.every()),
        connected=connected,
        channel=channel,
        search=search,
        names=CHANNEL_NAMES,
        icons=CHANNEL_ICONS,
    )


def _matches(provider: AnyProvider, search: str) -> bool:
    """Whether every word of the search is in what people call it."""
    text = f"{provider.name} {provider.id} {CHANNEL_NAMES[provider.channel]}".lower()
    return all(word in text for word in search.lower().split())


@view("/{environment:str}/integrations/{key:str}")
async def show_integration(visit: InVisit, conn: Conn, key: FromPath[str]) -> Response[str]:
    shown, siblings = await one_of(visit, conn, key)
    integration = shown.integration
    left = [each for each in siblings if each is not shown and each.integration.active]
    return visit.page(
        "integrations/one.html",
        title=integration.name,
        tab="overview",
        shown=shown,
        left=left,
        names=CHANNEL_NAMES,
        cannot=[spoken(part) for part in sorted(shown.provider.cannot)] if shown.provider else [],
        failures=await figures.failures(
            conn, visit.scope, integration.channel, integration.id, _ERRORS_SHOWN
        ),
        webhook=webhook_address(visit, shown),
        catching=visit.world.catching,
    )


def webhook_address(visit: Visit, shown: Shown) -> str | None:
    """Where the vendor reports to; None for vendors that report nothing."""
    if shown.provider is None or not shown.provider.takes_webhooks():
        return None
    integration = shown.integration
    path = f"{integration.environment_id}/{integration.id}"
    return visit.places.address(visit.places.api(f"/v2/inbound-webhooks/delivery-providers/{path}"))


HANDLERS = [show_integrations, show_catalogue, show_integration]
NAV = [
    Entry(label="Integrations", path="integrations", icon="plug", section="Build", order=20),
]
