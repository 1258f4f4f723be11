"""Integrations of the caller's environment, and the catalogue of providers they can use."""

from typing import Annotated, Any

from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType, field, to_builtins

from tidings.actions import integrations as actions
from tidings.dialect import Dialect
from tidings.domain.channels import Channel
from tidings.domain.conditions import StepFilter
from tidings.domain.errors import ForbiddenError
from tidings.domain.integrations import Configurations, Credentials, Integration
from tidings.domain.scope import Scope
from tidings.hall.given import ByCaller, Conn, InDatabase, InDialect, InWorld, Outbound, Tx
from tidings.hall.unit import OWN_TRANSACTIONS, SECRET_ANSWER
from tidings.hall.wire import Id, Out, Timestamp, iso, unless_none
from tidings.providers import delivery, registry
from tidings.providers.base import AnyProvider
from tidings.providers.credentials import Field, masked, secret_names
from tidings.providers.outcomes import Outcome, Result
from tidings.providers.trial import Trial, message_for
from tidings.storage import integrations

_SIGNING_KEY = frozenset({"inboundWebhookSigningKey"})
_OMITTED = "Left out, it is made from the provider's name."


class IntegrationIn(Struct, rename="camel", kw_only=True):
    provider_id: str
    channel: Channel | None = None
    name: Annotated[str | None, Meta(description=_OMITTED)] = None
    identifier: Annotated[str | None, Meta(description=_OMITTED)] = None
    environment_id: str | None = field(name="_environmentId", default=None)
    credentials: Credentials = field(default_factory=Credentials)
    configurations: Configurations = field(default_factory=Configurations)
    conditions: tuple[StepFilter, ...] = ()
    active: bool = False


class IntegrationChangeIn(Struct, rename="camel", kw_only=True):
    name: str | UnsetType = UNSET
    identifier: str | UnsetType = UNSET
    environment_id: str | None = field(name="_environmentId", default=None)
    credentials: Credentials | UnsetType = UNSET
    configurations: Configurations | UnsetType = UNSET
    conditions: tuple[StepFilter, ...] | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class TestIn(Struct, rename="camel", kw_only=True):
    """Whom to send to; what the channel needs of it."""

    to: Annotated[str, Meta(description="E-mail address or phone number.")] = ""
    device_tokens: tuple[str, ...] = ()
    webhook_url: str = ""
    channel: str = ""
    subject: str = "Test message from Tidings"
    content: str = "This is a test message. If you can read it, the integration works."


class IntegrationOut(Out, frozen=True, kw_only=True):
    id: Id = field(name="_id")
    environment_id: Id = field(name="_environmentId")
    organization_id: Id = field(name="_organizationId")
    name: str
    identifier: str
    provider_id: str
    channel: Channel
    credentials: Credentials
    """Secrets show their last characters behind a mask; send the mask back to keep the value."""
    configurations: Configurations | UnsetType = UNSET
    active: bool
    deleted: bool
    deleted_at: Timestamp | UnsetType = UNSET
    deleted_by: str | UnsetType = UNSET
    primary: bool
    conditions: tuple[StepFilter, ...] | UnsetType = UNSET
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, integration: Integration, dialect: Dialect) -> "IntegrationOut":
        provider = registry.find(integration.provider_id)
        secrets = secret_names(provider.credentials if provider else ())
        return cls(
            id=integration.id,
            environment_id=integration.environment_id,
            organization_id=integration.organization_id,
            name=integration.name,
            identifier=integration.identifier,
            provider_id=dialect.spell(integration.provider_id),
            channel=integration.channel,
            credentials=masked(integration.credentials, secrets),  # type: ignore[arg-type]
            configurations=masked(  # type: ignore[arg-type]
                to_builtins(integration.configurations), _SIGNING_KEY
            ),
            active=integration.active,
            deleted=False,
            primary=integration.primary,
            conditions=integration.conditions,
            created_at=iso(integration.created_at),
            updated_at=iso(integration.updated_at),
        )


class FieldOut(Out, frozen=True, kw_only=True):
    name: str
    label: str
    kind: str
    required: bool
    secret: bool
    format: str | UnsetType = UNSET
    help: str | UnsetType = UNSET
    default: str | bool | UnsetType = UNSET

    @classmethod
    def of(cls, declared: Field) -> "FieldOut":
        return cls(
            name=declared.name,
            label=declared.label,
            kind=declared.kind,
            required=declared.required and declared.default is None,
            secret=declared.secret,
            format=unless_none(declared.format),
            help=declared.help or UNSET,
            default=unless_none(declared.default),
        )


class ProviderOut(Out, frozen=True, kw_only=True):
    id: str
    channel: Channel
    display_name: str
    docs: str
    credentials: list[FieldOut]
    cannot_carry: list[str]
    inbound_webhook: bool

    @classmethod
    def of(cls, provider: AnyProvider, dialect: Dialect) -> "ProviderOut":
        return cls(
            id=dialect.spell(provider.id),
            channel=provider.channel,
            display_name=provider.name,
            docs=provider.docs,
            credentials=[FieldOut.of(declared) for declared in provider.credentials],
            cannot_carry=sorted(provider.cannot),
            inbound_webhook=provider.takes_webhooks(),
        )


class VerdictOut(Out, frozen=True, kw_only=True):
    """What the provider said to a test message."""

    outcome: Outcome
    provider_id: str
    message_id: str | UnsetType = UNSET
    date: Timestamp | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    retry_after: float | UnsetType = UNSET
    http_status: int | UnsetType = UNSET
    not_carried: list[str]
    raw: str | UnsetType = UNSET

    @classmethod
    def of(cls, result: Result, provider_id: str) -> "VerdictOut":
        return cls(
            outcome=result.outcome,
            provider_id=provider_id,
            message_id=unless_none(result.id),
            date=UNSET if result.date is None else iso(result.date),
            reason=result.reason or UNSET,
            code=unless_none(result.code),
            retry_after=unless_none(result.retry_after),
            http_status=unless_none(result.status),
            not_carried=list(result.dropped),
            raw=result.raw or UNSET,
        )


@get("/v1/integrations", tags=["Integrations"], summary="List integrations")
async def list_integrations(
    conn: Conn, caller: ByCaller, world: InWorld, dialect: InDialect
) -> list[IntegrationOut]:
    """The integrations of this environment, newest first. Secrets are masked."""
    found = await integrations.all_of(conn, caller.scope, world.sealer)
    return [IntegrationOut.of(each, dialect) for each in found]


@get("/v1/integrations/active", tags=["Integrations"], summary="List active integrations")
async def list_active_integrations(
    conn: Conn, caller: ByCaller, world: InWorld, dialect: InDialect
) -> list[IntegrationOut]:
    """Those that take part in sending, newest first."""
    found = await integrations.all_of(conn, caller.scope, world.sealer, active_only=True)
    return [IntegrationOut.of(each, dialect) for each in found]


@get("/v1/integrations/catalogue", tags=["Integrations"], summary="List providers")
async def list_providers(dialect: InDialect) -> list[ProviderOut]:
    """Every provider that an integration can use: its channel, its credentials, its page."""
    return [ProviderOut.of(provider, dialect) for provider in registry.every().values()]


@post(
    "/v1/integrations",
    tags=["Integrations"],
    summary="Create an integration",
    opt=SECRET_ANSWER,
)
async def create_integration(
    data: JSONBody[IntegrationIn], tx: Tx, caller: ByCaller, world: InWorld, dialect: InDialect
) -> IntegrationOut:
    """Connects a provider to this environment. The first active email or sms integration without
    conditions becomes the primary one of its channel."""
    _refuse_other_environment(data.environment_id, caller.scope)
    new = actions.NewIntegration(
        provider_id=dialect.understand(data.provider_id),
        channel=data.channel,
        name=data.name,
        identifier=data.identifier,
        credentials=to_builtins(data.credentials),
        configurations=data.configurations,
        conditions=data.conditions,
        active=data.active,
    )
    return IntegrationOut.of(await actions.create(tx, caller.scope, world, new), dialect)


@put(
    "/v1/integrations/{integration_id:str}",
    tags=["Integrations"],
    summary="Change an integration",
    opt=SECRET_ANSWER,
)
async def update_integration(
    integration_id: FromPath[str],
    data: JSONBody[IntegrationChangeIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> IntegrationOut:
    """Changes what is given; credentials are replaced as a whole, but a mask keeps the value it
    stands for. Switching a primary integration off, or giving it conditions, ends its being
    primary."""
    _refuse_other_environment(data.environment_id, caller.scope)
    change = actions.Change(
        name=data.name,
        identifier=data.identifier,
        credentials=UNSET if data.credentials is UNSET else to_builtins(data.credentials),
        configurations=data.configurations,
        conditions=data.conditions,
        active=data.active,
    )
    changed = await actions.update(tx, caller.scope, world, integration_id, change)
    return IntegrationOut.of(changed, dialect)


@post(
    "/v1/integrations/{integration_id:str}/set-primary",
    tags=["Integrations"],
    summary="Make an integration primary",
    status_code=200,
    opt=SECRET_ANSWER,
)
async def set_primary_integration(
    integration_id: FromPath[str], tx: Tx, caller: ByCaller, world: InWorld, dialect: InDialect
) -> IntegrationOut:
    """The primary integration delivers its channel in workflows. Email and sms have one; the one
    before loses its place. The integration is switched on and its conditions are removed."""
    changed = await actions.set_primary(tx, caller.scope, world, integration_id)
    return IntegrationOut.of(changed, dialect)


@delete(
    "/v1/integrations/{integration_id:str}",
    tags=["Integrations"],
    summary="Delete an integration",
    status_code=200,
    opt=SECRET_ANSWER,
)
async def delete_integration(
    integration_id: FromPath[str], tx: Tx, caller: ByCaller, world: InWorld, dialect: InDialect
) -> list[IntegrationOut]:
    """There is no way back. Answers the integrations that remain in this environment."""
    left = await actions.delete(tx, caller.scope, world, integration_id, caller.key_id)
    return [IntegrationOut.of(each, dialect) for each in left]


@post(
    "/v1/integrations/{integration_id:str}/test",
    tags=["Integrations"],
    summary="Send a test message",
    status_code=200,
    opt=OWN_TRANSACTIONS,
)
async def test_integration(
    integration_id: FromPath[str],
    data: JSONBody[TestIn],
    database: InDatabase,
    network: Outbound,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> VerdictOut:
    """Sends one message through the integration, active or not, and answers the provider's verdict:
    200 with `outcome` `sent`, or with what went wrong."""
    async with database.connection() as connection:
        found = await integrations.get(connection, caller.scope, world.sealer, integration_id)
    provider = actions.provider_of(found.provider_id)
    trial = Trial(**{name: getattr(data, name) for name in Trial.__struct_fields__})
    message = message_for(provider, trial, world.ids.new(), found.credentials)
    result = await delivery.send(provider, found.credentials, message, network, world.clock.now())
    return VerdictOut.of(result, dialect.spell(provider.id))


def _refuse_other_environment(environment_id: str | None, scope: Scope) -> None:
    if environment_id not in (None, scope.environment_id):
        raise ForbiddenError(
            "A key acts in its own environment only; use a key of the other environment.",
            environmentId=environment_id,
        )


HANDLERS: list[Any] = [
    list_integrations,
    list_active_integrations,
    list_providers,
    create_integration,
    update_integration,
    set_primary_integration,
    delete_integration,
    test_integration,
]
