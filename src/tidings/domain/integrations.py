"""Integrations: which vendor delivers a channel of an environment, and which one fits a message."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.conditions import Decision, On, StepFilter, decide

IN_APP_PROVIDER = "svc"

WITH_PRIMARY: frozenset[Channel] = frozenset({"email", "sms"})
"""The channels of which one integration delivers unless another is asked for."""

_WIRE = {"from_": "from", "app_io_base_url": "AppIOBaseUrl"}


def _wire_name(name: str) -> str:
    first, *rest = name.split("_")
    return _WIRE.get(name) or first + "".join(word.capitalize() for word in rest)


class Credentials(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename=_wire_name):
    """Everything that a vendor may ask for; what was not given is empty."""

    api_key: str = ""
    user: str = ""
    secret_key: str = ""
    domain: str = ""
    password: str = ""
    host: str = ""
    port: str = ""
    secure: bool = False
    region: str = ""
    account_sid: str = ""
    message_profile_id: str = ""
    token: str = ""
    from_: str = ""
    sender_name: str = ""
    project_name: str = ""
    application_id: str = ""
    client_id: str = ""
    require_tls: bool = False
    ignore_tls: bool = False
    tls_options: dict[str, Any] = {}
    base_url: str = ""
    webhook_url: str = ""
    redirect_url: str = ""
    hmac: bool = False
    service_account: str = ""
    ip_pool_name: str = ""
    api_key_request_header: str = ""
    secret_key_request_header: str = ""
    id_path: str = ""
    date_path: str = ""
    api_token: str = ""
    authenticate_by_token: bool = False
    authentication_token_key: str = ""
    instance_id: str = ""
    alert_uid: str = ""
    title: str = ""
    image_url: str = ""
    state: str = ""
    external_link: str = ""
    channel_id: str = ""
    phone_number_identification: str = ""
    access_key: str = ""
    app_sid: str = ""
    sender_id: str = ""
    app_io_base_url: str = ""
    request_method: str = ""
    request_headers: dict[str, str] = {}
    request_body: str = ""
    success_path: str = ""
    success_value: str = ""
    error_path: str = ""


_KINDS: dict[Any, Literal["string", "boolean", "object"]] = {str: "string", bool: "boolean"}
CREDENTIAL_KINDS = {
    field.encode_name: _KINDS.get(field.type, "object")
    for field in msgspec.structs.fields(Credentials)
}
CREDENTIAL_NAMES = frozenset(CREDENTIAL_KINDS)
OUR_CREDENTIALS = frozenset(
    {
        "requestMethod",
        "requestHeaders",
        "requestBody",
        "successPath",
        "successValue",
        "errorPath",
    }
)
"""Beside those of the interface, for gateways that are described instead of programmed."""


class Configurations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    inbound_webhook_enabled: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the vendor's delivery events are taken."""
    inbound_webhook_signing_key: str | msgspec.UnsetType = msgspec.UNSET


class Integration(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    organization_id: str
    environment_id: str
    name: str
    identifier: str
    provider_id: str
    channel: Channel
    credentials: Mapping[str, Any] = {}
    """By the names of the interface, as given: references stay references."""
    configurations: Configurations = Configurations()
    conditions: tuple[StepFilter, ...] = ()
    active: bool
    primary: bool = False
    created_at: datetime
    updated_at: datetime


def keeps_primary(integration: Integration) -> bool:
    """Only an active integration without conditions can be the one that always delivers."""
    return integration.active and not integration.conditions


class Candidate(msgspec.Struct, frozen=True):
    """An integration that may deliver, and how its conditions were decided."""

    integration: Integration
    decision: Decision


def candidates(
    integrations: Iterable[Integration],
    channel: Channel,
    data: Mapping[On, Mapping[str, Any]],
    identifier: str | None = None,
) -> list[Candidate]:
    """The active integrations of the channel, in the order in which they are to be tried: those
    whose conditions hold, then the primary, then the newest. Asked for by identifier, only that
    one, whatever its conditions. Those whose conditions do not hold are left out."""
    fitting = []
    for each in integrations:
        if each.channel != channel or not each.active:
            continue
        if identifier is not None:
            if each.identifier == identifier:
                return [Candidate(each, Decision(True))]
            continue
        decision = decide(each.conditions, data)
        if decision.holds:
            fitting.append(Candidate(each, decision))
    return sorted(fitting, key=lambda each: _rank(each.integration), reverse=True)


def in_order(integrations: Iterable[Integration], channel: Channel) -> list[Integration]:
    """The integrations of the channel: the active ones as they are tried where all conditions
    hold, then those that are off, the newest first."""
    own = [each for each in integrations if each.channel == channel]
    return sorted(own, key=lambda each: (each.active, *_rank(each)), reverse=True)


def _rank(integration: Integration) -> tuple[bool, bool, str]:
    return bool(integration.conditions), integration.primary, integration.id
