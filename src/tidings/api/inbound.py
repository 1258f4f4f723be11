"""Where providers report what became of messages. They have no API key; they sign."""

from http import HTTPStatus
from typing import Annotated, Any

from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import PathParameter
from msgspec import UNSET, UnsetType

from tidings.actions import deliveries
from tidings.actions.deliveries import Noted
from tidings.api.health import Health
from tidings.domain.errors import NotFoundError
from tidings.domain.integrations import Integration
from tidings.domain.messages import report
from tidings.hall.errors import WireError
from tidings.hall.wire import Id, Out, Timestamp, iso
from tidings.providers import exchange, registry
from tidings.providers.base import AnyProvider
from tidings.providers.transport import UnreachableError
from tidings.storage import environments, integrations
from tidings.world import World

_TAGS = ["Inbound webhooks"]
_PATH = "/v2/inbound-webhooks/delivery-providers/{environmentId:str}/{integrationId:str}"


class EventOut(Out, frozen=True, kw_only=True):
    status: str
    date: Timestamp | UnsetType = UNSET
    external_id: str
    attempts: int
    response: str | UnsetType = UNSET
    row: dict[str, Any]


class NotedOut(Out, frozen=True, kw_only=True):
    id: Id
    event: EventOut

    @classmethod
    def of(cls, noted: Noted) -> "NotedOut":
        event = noted.event
        return cls(
            id=noted.message_id,
            event=EventOut(
                status=event.happened,
                date=iso(event.at) if event.at else UNSET,
                external_id=event.message_id,
                attempts=1,
                response=event.reason or UNSET,
                row=report(event),
            ),
        )


EnvironmentId = Annotated[str, PathParameter(name="environmentId")]
IntegrationId = Annotated[str, PathParameter(name="integrationId")]


@post(_PATH, tags=_TAGS, summary="Take a provider's delivery events", status_code=200)
async def take_delivery_events(
    request: Request[Any, Any, Any],
    state: State,
    environment_id: EnvironmentId,
    integration_id: IntegrationId,
) -> Response[Any]:
    """Answers those events that concern messages of this integration; others are only counted.
    Needs `inboundWebhookEnabled` and `inboundWebhookSigningKey` in the integration's
    configurations."""
    return await _take(request, state, environment_id, integration_id)


@get(_PATH, tags=_TAGS, summary="Take delivery events of providers that call with GET")
async def take_delivery_events_by_get(
    request: Request[Any, Any, Any],
    state: State,
    environment_id: EnvironmentId,
    integration_id: IntegrationId,
) -> Response[Any]:
    return await _take(request, state, environment_id, integration_id)


async def _take(
    request: Request[Any, Any, Any], state: State, environment_id: str, integration_id: str
) -> Response[Any]:
    health: Health = state.health
    world: World = state.world
    async with health.database.connection() as connection:
        scope = await environments.scope_of(connection, environment_id)
        integration = await integrations.get(connection, scope, world.sealer, integration_id)
    provider = _reporting(integration)
    signing_key = integration.configurations.inbound_webhook_signing_key or ""
    try:
        heard = await deliveries.hear(
            provider, await _webhook(request, world), signing_key, state.network
        )
    except UnreachableError as error:
        raise WireError(
            HTTPStatus.SERVICE_UNAVAILABLE, f"The provider could not be asked back: {error}"
        ) from None
    if isinstance(heard, exchange.Response):
        media_type = heard.headers.get("content-type", "text/plain")
        return Response(heard.body, status_code=heard.status, media_type=media_type)
    async with health.database.transaction() as tx:
        noted = await deliveries.record(tx, scope, world, integration, heard)
    return Response([NotedOut.of(each) for each in noted])


def _reporting(integration: Integration) -> AnyProvider:
    provider = registry.find(integration.provider_id)
    enabled = integration.configurations.inbound_webhook_enabled is True
    if provider is None or not provider.takes_webhooks() or not enabled:
        raise NotFoundError(
            "This integration takes no delivery events; set inboundWebhookEnabled in its "
            "configurations, if its provider reports any.",
            integrationId=integration.id,
        )
    return provider


async def _webhook(request: Request[Any, Any, Any], world: World) -> exchange.Webhook:
    """The call as the vendor made it, perhaps through a proxy: some sign the address. A caller who
    invents these headers gains nothing without the key."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    parts = request.url
    scheme = headers.get("x-forwarded-proto", parts.scheme).split(",")[0].strip()
    host = headers.get("x-forwarded-host", headers.get("host", parts.netloc)).split(",")[0].strip()
    query = request.scope["query_string"].decode("latin-1")
    path = (request.scope.get("raw_path") or parts.path.encode()).decode("latin-1").split("?")[0]
    return exchange.Webhook(
        method=request.method,
        url=f"{scheme}://{host}{path}" + (f"?{query}" if query else ""),
        query={name: str(request.query_params[name]) for name in request.query_params},
        headers=headers,
        body=await request.body(),
        at=world.clock.now(),
    )


OPEN_HANDLERS = [take_delivery_events, take_delivery_events_by_get]
