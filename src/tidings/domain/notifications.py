"""Notifications and their jobs: what moves a job may make, and the proof each move leaves."""

from datetime import datetime
from typing import Any, Literal

import msgspec

JobStatus = Literal[
    "pending",
    "queued",
    "running",
    "delayed",
    "completed",
    "failed",
    "canceled",
    "merged",
    "skipped",
]
FINAL: frozenset[JobStatus] = frozenset({"completed", "failed", "canceled", "merged", "skipped"})

DetailStatus = Literal["Success", "Warning", "Failed", "Pending", "Queued", "ReadConfirmation"]
DetailSource = Literal["Credentials", "Internal", "Payload", "Webhook"]
Severity = Literal["high", "medium", "low", "none"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "none")


class Detail(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of proof, as it is stored with its job."""

    id: str
    at: datetime
    status: DetailStatus
    detail: str
    """The sentence that people read."""
    reason: str = ""
    """Its kind, for programs: `preference`, `schedule`, `condition`, `provider`, ..."""
    source: DetailSource = "Internal"
    is_retry: bool = False
    provider_id: str | None = None
    raw: Any = None
    """What was known at that moment: values compared, layers merged, the provider's answer."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    notification_id: str
    position: int
    step_id: str
    type: str
    status: JobStatus
    updated_at: datetime
    provider_id: str | None = None
    due_at: datetime | None = None
    attempts: int = 0
    reached_at: datetime | None = None
    """When the run came to this step: delays count from here, however often they are asked."""
    digest: dict[str, Any] | None = None
    output: dict[str, Any] | None = None
    """What later steps see under `steps.<key>`."""
    state: dict[str, Any] | None = None
    """What a later attempt must know: integrations tried, targets reached, extensions made."""
    merged_into: str | None = None
    details: tuple[Detail, ...] = ()


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """One event for one subscriber."""

    id: str
    event_id: str
    transaction_id: str
    workflow_id: str
    workflow_version: int
    subscriber_id: str
    recipient: dict[str, Any]
    channels: tuple[str, ...]
    tags: tuple[str, ...]
    topics: tuple[dict[str, str], ...] = ()
    severity: Severity = "none"
    critical: bool = False
    context_keys: tuple[str, ...] = ()
    created_at: datetime
