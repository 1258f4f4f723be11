"""Triggers: one, many, for everyone; and calling them off."""

from typing import Annotated, Any

import msgspec
from litestar import delete, post
from litestar.params import JSONBody, PathParameter
from msgspec import UNSET, Meta, UnsetType

from tidings.actions import events as actions
from tidings.api.recipients import actor_of, recipients_of
from tidings.dialect import Dialect
from tidings.domain.errors import InvalidError, TidingsError
from tidings.domain.events import (
    LARGEST_BATCH,
    Recipients,
    Trigger,
    TriggerStatus,
    Verdict,
    context_of,
)
from tidings.hall.errors import plain
from tidings.hall.given import ByCaller, GivenOffered, InAccepter, InDialect, InWorld, Tx
from tidings.hall.unit import SHARED_TRANSACTION
from tidings.hall.wire import Out

_TAGS = ["Events"]


class BroadcastIn(msgspec.Struct, kw_only=True, rename="camel"):
    name: Annotated[str, Meta(description="The `workflowId`.")]
    payload: Annotated[
        dict[str, Any] | None, Meta(description="What templates and conditions see as `payload`.")
    ] = None
    overrides: Annotated[
        dict[str, Any] | None, Meta(description="What providers get in place of what is rendered.")
    ] = None
    transaction_id: Annotated[
        str | None,
        Meta(description="Names this trigger; a second one of the same name starts nothing."),
    ] = None
    actor: Annotated[
        str | dict[str, Any] | None,
        Meta(description="Who caused it: a `subscriberId` or a subscriber."),
    ] = None
    tenant: Annotated[
        str | dict[str, Any] | None, Meta(description="An identifier, or {identifier, name, data}.")
    ] = None
    context: Annotated[
        dict[str, Any] | None,
        Meta(description="At most five: type to id, or to {id, data}."),
    ] = None

    def trigger(self, dialect: Dialect) -> Trigger:
        return Trigger(
            workflow_key=self.name,
            recipients=Recipients(everyone=True),
            payload=self.payload or {},
            overrides=self.overrides or {},
            transaction_id=self.transaction_id or None,
            actor=actor_of(self.actor, dialect),
            tenant=_tenant(self.tenant),
            context=context_of(self.context or {}),
        )


class TriggerIn(BroadcastIn, kw_only=True, rename="camel"):
    to: Annotated[
        str | dict[str, Any] | list[Any],
        Meta(
            description="A `subscriberId`, a subscriber with fields to write, a topic "
            '`{"type": "Topic", "topicKey", "exclude"?}`, or a list of up to 100 of these.'
        ),
    ]

    def trigger(self, dialect: Dialect) -> Trigger:
        recipients, dropped = recipients_of(self.to, dialect)
        return msgspec.structs.replace(
            super().trigger(dialect), recipients=recipients, dropped=dropped
        )


class BulkIn(msgspec.Struct):
    events: Annotated[
        list[dict[str, Any]],
        Meta(
            min_length=1,
            max_length=LARGEST_BATCH,
            description="Each as in the trigger of one event.",
        ),
    ]


class TriggerOut(Out, frozen=True, kw_only=True):
    """What became of a trigger."""

    acknowledged: bool
    status: TriggerStatus
    transaction_id: str | UnsetType = UNSET
    error: list[str] | UnsetType = UNSET

    @classmethod
    def of(cls, verdict: Verdict) -> "TriggerOut":
        return cls(
            acknowledged=True,
            status=verdict.status,
            transaction_id=verdict.transaction_id or UNSET,
            error=list(verdict.errors) or UNSET,
        )


@post("/v1/events/trigger", tags=_TAGS, summary="Trigger an event", opt=SHARED_TRANSACTION)
async def trigger_event(
    data: JSONBody[TriggerIn],
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
    accepter: InAccepter,
    offered: GivenOffered,
) -> TriggerOut:
    """Starts the workflow for everyone whom `to` names."""
    verdict, event = await actions.judge(
        accepter.catalog, accepter.database, caller.scope, world, data.trigger(dialect)
    )
    offered.extend([event] if event else [])
    return TriggerOut.of(verdict)


@post("/v1/events/trigger/bulk", tags=_TAGS, summary="Trigger many events", opt=SHARED_TRANSACTION)
async def trigger_events(
    data: JSONBody[BulkIn],
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
    accepter: InAccepter,
    offered: GivenOffered,
) -> list[TriggerOut]:
    """Up to 100 triggers; one answer each, in their order. One that is wrong fails alone."""
    answers = []
    for each in data.events:
        try:
            trigger = msgspec.convert(each, TriggerIn).trigger(dialect)
            verdict, event = await actions.judge(
                accepter.catalog, accepter.database, caller.scope, world, trigger
            )
        except (msgspec.ValidationError, TidingsError) as error:
            verdict, event = Verdict(status="error", errors=_sentences(error)), None
        offered.extend([event] if event else [])
        answers.append(TriggerOut.of(verdict))
    return answers


@post(
    "/v1/events/trigger/broadcast",
    tags=_TAGS,
    summary="Trigger an event for everyone",
    opt=SHARED_TRANSACTION,
)
async def broadcast_event(
    data: JSONBody[BroadcastIn],
    caller: ByCaller,
    world: InWorld,
    dialect: InDialect,
    accepter: InAccepter,
    offered: GivenOffered,
) -> TriggerOut:
    """Starts the workflow for every subscriber of the environment."""
    verdict, event = await actions.judge(
        accepter.catalog, accepter.database, caller.scope, world, data.trigger(dialect)
    )
    offered.extend([event] if event else [])
    return TriggerOut.of(verdict)


@delete(
    "/v1/events/trigger/{transactionId:str}",
    tags=_TAGS,
    summary="Cancel a triggered event",
    status_code=200,
)
async def cancel_event(
    transaction_id: Annotated[str, PathParameter(name="transactionId")],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> bool:
    """Stops what has not happened yet, for all its recipients: true when there was something to
    stop. What is with a provider already is left to finish."""
    return await actions.cancel(tx, caller.scope, world, transaction_id)


def _tenant(given: str | dict[str, Any] | None) -> dict[str, Any] | None:
    """There are no records of tenants: what is named is kept with the event as it is."""
    if not given:
        return None
    tenant = {"identifier": given} if isinstance(given, str) else given
    if not isinstance(tenant.get("identifier"), str) or not tenant["identifier"]:
        raise InvalidError.of("tenant.identifier", "is required", tenant.get("identifier", UNSET))
    return tenant


def _sentences(error: msgspec.ValidationError | TidingsError) -> tuple[str, ...]:
    if isinstance(error, InvalidError) and error.message == "Validation Error":
        return tuple(f"{name} {each.messages[0]}" for name, each in error.problems.items())
    if isinstance(error, TidingsError):
        found = error.details.get("errors", ())
        return (error.message, *(f"payload.{each['field']} {each['message']}" for each in found))
    return (plain(str(error)),)


HANDLERS = [trigger_event, trigger_events, broadcast_event, cancel_event]
