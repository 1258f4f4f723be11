"""A subscriber's credentials for chat and push providers."""

from typing import Annotated

import msgspec
from litestar import delete, patch, put
from litestar.params import JSONBody, PathParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.actions import credentials as actions
from tidings.api.subscribers import ByKey, SubscriberOut
from tidings.dialect import Dialect
from tidings.domain.credentials import PROVIDER_IDS, Changes
from tidings.domain.errors import InvalidError, NotFoundError
from tidings.hall.given import ByCaller, InDialect, InWorld, Tx

_TAGS = ["Subscriber credentials"]

Text = str | UnsetType | None


class CredentialsIn(msgspec.Struct, kw_only=True, rename="camel"):
    """What is not sent stays as it is; null takes it away."""

    webhook_url: Annotated[Text, Meta(description="From the chat provider.")] = UNSET
    channel: Annotated[Text, Meta(description="For `mattermost`.")] = UNSET
    device_tokens: Annotated[
        list[str] | UnsetType | None, Meta(description="For push providers; at most 100.")
    ] = UNSET
    alert_uid: Annotated[Text, Meta(description="For `grafana-on-call`.")] = UNSET
    title: Annotated[Text, Meta(description="For `grafana-on-call`.")] = UNSET
    image_url: Annotated[Text, Meta(description="For `grafana-on-call`.")] = UNSET
    state: Annotated[Text, Meta(description="For `grafana-on-call`.")] = UNSET
    external_url: Annotated[Text, Meta(description="For `grafana-on-call`.")] = UNSET


class ChannelIn(msgspec.Struct, kw_only=True, rename="camel"):
    provider_id: Annotated[str, Meta(description=f"One of {', '.join(PROVIDER_IDS)}.")]
    integration_identifier: Annotated[
        str | UnsetType | None,
        Meta(description="Which integration; unset: the newest active one of the provider."),
    ] = UNSET
    credentials: CredentialsIn

    def changes(self) -> Changes:
        given: Changes = msgspec.to_builtins(self.credentials)
        return given


@patch(
    "/v1/subscribers/{subscriberId:str}/credentials",
    tags=_TAGS,
    summary="Update provider credentials",
)
async def update_credentials(
    key: ByKey,
    data: JSONBody[ChannelIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> SubscriberOut:
    """Merges the credentials of one provider and integration; device tokens are replaced."""
    found = await actions.update(
        tx,
        caller.scope,
        world,
        key,
        _provider_id(data.provider_id, dialect),
        data.integration_identifier or None,
        data.changes(),
        unite=dialect.unites_device_tokens,
    )
    return SubscriberOut.of(found, caller.scope, dialect)


@put(
    "/v1/subscribers/{subscriberId:str}/credentials",
    tags=_TAGS,
    summary="Replace provider credentials",
)
async def replace_credentials(
    key: ByKey,
    data: JSONBody[ChannelIn],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> SubscriberOut:
    """Puts these credentials in place of those of the same provider and integration."""
    found = await actions.replace(
        tx,
        caller.scope,
        world,
        key,
        _provider_id(data.provider_id, dialect),
        data.integration_identifier or None,
        data.changes(),
    )
    return SubscriberOut.of(found, caller.scope, dialect)


@delete(
    "/v1/subscribers/{subscriberId:str}/credentials/{providerId:str}",
    tags=_TAGS,
    summary="Remove provider credentials",
)
async def delete_credentials(
    key: ByKey,
    provider_id: Annotated[str, PathParameter(name="providerId")],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
) -> None:
    """Forgets the credentials of this provider, of all its integrations."""
    ours = dialect.understand(provider_id)
    if ours not in PROVIDER_IDS:
        raise NotFoundError(f"There is no chat or push provider {provider_id!r}.")
    await actions.remove(tx, caller.scope, world, key, ours)


def _provider_id(given: str, dialect: Dialect) -> str:
    ours = dialect.understand(given)
    if ours not in PROVIDER_IDS:
        known = ", ".join(dialect.spell(each) for each in PROVIDER_IDS)
        raise InvalidError.of("providerId", f"must be one of {known}", given)
    return ours


HANDLERS = [update_credentials, replace_credentials, delete_credentials]
