"""A trigger, accepted: what happened, to whom, and what is to be done about it."""

from datetime import datetime
from typing import Any, Literal

import msgspec

LARGEST_RECIPIENT_LIST = 100
LARGEST_BATCH = 100

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
