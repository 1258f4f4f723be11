"""A trigger, accepted: what happened, to whom, and what is to be done about it."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from tidings.domain.errors import InvalidError, Problem

LARGEST_RECIPIENT_LIST = 100
LARGEST_BATCH = 100
LONGEST_TRANSACTION_ID = 255
MOST_CONTEXTS = 5
LARGEST_CONTEXT = 64 * 1024

_CONTEXT_NAME = re.compile(r"[\w.@-]{1,255}")

TriggerStatus = Literal[
    "error",
    "trigger_not_active",
    "no_workflow_active_steps_defined",
    "no_workflow_steps_defined",
    "processed",
    "no_tenant_found",
    "invalid_recipients",
]


class TopicRecipient(msgspec.Struct, frozen=True, omit_defaults=True):
    key: str
    exclude: tuple[str, ...] = ()
    """Keys of subscribers who shall not hear of it."""


class Recipients(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whom a trigger names. Named subscribers come first; a topic's members follow, without those
    named, excluded, or acting."""

    subscribers: tuple[dict[str, Any], ...] = ()
    """Each with `subscriberId` and the fields to write; the last of several for one id counts."""
    topics: tuple[TopicRecipient, ...] = ()
    everyone: bool = False


class Event(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    transaction_id: str
    workflow_id: str
    workflow_version: int
    recipients: Recipients
    payload: dict[str, Any]
    overrides: dict[str, Any]
    actor: dict[str, Any] | None = None
    tenant: dict[str, Any] | None = None
    context: dict[str, Any] = {}
    created_at: datetime


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller asks for, its shape already checked."""

    workflow_key: str
    recipients: Recipients
    dropped: tuple[str, ...] = ()
    """Why recipients were left out, one sentence each."""
    payload: dict[str, Any] = {}
    overrides: dict[str, Any] = {}
    transaction_id: str | None = None
    actor: dict[str, Any] | None = None
    tenant: dict[str, Any] | None = None
    context: dict[str, Any] = {}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a trigger."""

    status: TriggerStatus
    transaction_id: str | None = None
    errors: tuple[str, ...] = ()


class UnknownWorkflowError(InvalidError):
    """No workflow answers to that name; clients know this failure by its message."""

    def __init__(self, key: str) -> None:
        text = f"There is no workflow {key!r} in this environment; GET /v2/workflows lists them."
        super().__init__({"name": Problem([text], key)})
        self.message = "workflow_not_found"


def context_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The contexts of a trigger in one shape: {type: {"id", "data"?}}."""
    if len(given) > MOST_CONTEXTS:
        raise InvalidError.of("context", f"must name at most {MOST_CONTEXTS} contexts")
    return {kind: _context(kind, value) for kind, value in given.items()}


def context_keys(context: Mapping[str, Any]) -> tuple[str, ...]:
    """`type:id` of each, in order."""
    return tuple(sorted(f"{kind}:{value['id']}" for kind, value in context.items()))


def check_transaction_id(given: str) -> None:
    if len(given) > LONGEST_TRANSACTION_ID or not given.isprintable():
        text = f"must have at most {LONGEST_TRANSACTION_ID} characters, all of them printable"
        raise InvalidError.of("transactionId", text, given)


def has_nul(value: Any) -> bool:
    """Whether a NUL character, which no database text can hold, is anywhere in it."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(has_nul(name) or has_nul(each) for name, each in value.items())
    return isinstance(value, list | tuple) and any(has_nul(each) for each in value)


def _context(kind: str, value: Any) -> dict[str, Any]:
    field = f"context.{kind}"
    named = {"id": value} if isinstance(value, str) else value
    if not isinstance(named, dict) or not isinstance(named.get("id"), str):
        raise InvalidError.of(field, "must be an id, or an object with an id", value)
    if not _CONTEXT_NAME.fullmatch(kind) or not _CONTEXT_NAME.fullmatch(named["id"]):
        text = "type and id must have letters, digits, hyphens, underscores, dots or @ only"
        raise InvalidError.of(field, text, value)
    data = named.get("data")
    if data is None:
        return {"id": named["id"]}
    if not isinstance(data, dict):
        raise InvalidError.of(f"{field}.data", "must be an object", data)
    if len(msgspec.json.encode(data)) > LARGEST_CONTEXT:
        raise InvalidError.of(f"{field}.data", f"must have at most {LARGEST_CONTEXT // 1024} kB")
    return {"id": named["id"], "data": data}
