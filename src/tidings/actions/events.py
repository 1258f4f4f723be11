"""Deciding about triggers, and calling them off."""

from tidings.domain.errors import InvalidError, RefusedError, TidingsError
from tidings.domain.events import (
    Event,
    Trigger,
    TriggerStatus,
    UnknownWorkflowError,
    Verdict,
    check_transaction_id,
    has_nul,
)
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.steps import payloads
from tidings.storage import cancellation, events
from tidings.storage.catalog import Catalog
from tidings.storage.database import Connection, Database
from tidings.world import World


async def judge(
    catalog: Catalog, database: Database, scope: Scope, world: World, trigger: Trigger
) -> tuple[Verdict, Event | None]:
    """What is answered, and the event to be written before it is. A trigger that repeats a
    transaction id is answered as the first was, whatever has become of its workflow since."""
    try:
        verdict, event = await _judge(catalog, scope, world, trigger)
    except TidingsError:
        if await _is_repeated(database, scope, trigger):
            return Verdict(status="processed", transaction_id=trigger.transaction_id), None
        raise
    if event is None and await _is_repeated(database, scope, trigger):
        return Verdict(status="processed", transaction_id=trigger.transaction_id), None
    return verdict, event


async def cancel(tx: Connection, scope: Scope, world: World, transaction_id: str) -> bool:
    """Whether there was anything to stop. What is with a provider already is left to finish."""
    return await cancellation.cancel(tx, scope, transaction_id, world.clock.now())


async def _judge(
    catalog: Catalog, scope: Scope, world: World, trigger: Trigger
) -> tuple[Verdict, Event | None]:
    if trigger.transaction_id is not None:
        check_transaction_id(trigger.transaction_id)
    workflow = await catalog.find(scope, trigger.workflow_key)
    if workflow is None:
        raise UnknownWorkflowError(trigger.workflow_key)
    payload = _checked_payload(workflow, trigger)
    if (hindrance := _hindrance(workflow, trigger)) is not None:
        errors = trigger.dropped if hindrance == "invalid_recipients" else ()
        return Verdict(status=hindrance, errors=errors), None
    event = Event(
        id=world.ids.new(),
        transaction_id=trigger.transaction_id or f"txn_{world.ids.new()}",
        workflow_id=workflow.id,
        workflow_version=workflow.version,
        recipients=trigger.recipients,
        payload=payload,
        overrides=trigger.overrides,
        actor=trigger.actor,
        tenant=trigger.tenant,
        context=trigger.context,
        created_at=world.clock.now(),
    )
    return Verdict(status="processed", transaction_id=event.transaction_id), event


def _hindrance(workflow: Workflow, trigger: Trigger) -> TriggerStatus | None:
    recipients = trigger.recipients
    if not workflow.active:
        return "trigger_not_active"
    if not workflow.steps:
        return "no_workflow_steps_defined"
    if not (recipients.subscribers or recipients.topics or recipients.everyone):
        return "invalid_recipients"
    return None


def _checked_payload(workflow: Workflow, trigger: Trigger) -> dict[str, object]:
    """The payload with the defaults of its schema. NUL is found here, so that no batch meets it."""
    for field in ("payload", "overrides", "actor", "tenant", "context"):
        if has_nul(getattr(trigger, field)):
            raise InvalidError.of(field, "must not contain a NUL character")
    schema = workflow.payload_schema
    if not workflow.validate_payload or schema is None:
        return trigger.payload
    try:
        payload: dict[str, object] = payloads.with_defaults(schema, trigger.payload)
        findings = payloads.findings(schema, payload)
    except payloads.BadSchemaError as error:
        raise InvalidError.of(
            "payload", f"cannot be checked, since the workflow's payloadSchema is unusable: {error}"
        ) from None
    if findings:
        raise RefusedError(
            "The payload does not fit the payloadSchema of the workflow.",
            type="PAYLOAD_VALIDATION_ERROR",
            errors=[
                {
                    "field": finding.field,
                    "message": finding.message,
                    "value": finding.value,
                    "schemaPath": finding.schema_path,
                }
                for finding in findings
            ],
            schema=schema,
        )
    return payload


async def _is_repeated(database: Database, scope: Scope, trigger: Trigger) -> bool:
    if trigger.transaction_id is None or "\0" in trigger.transaction_id:
        return False
    async with database.connection() as connection:
        return await events.exists(connection, scope, trigger.transaction_id)
