"""Tells in sentences what became of a notification, from the proof that its jobs carry."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.activities import Activity, Triggered
from tidings.domain.channels import CHANNELS
from tidings.domain.notifications import Detail, Job

_CHANNEL_ENDS = {
    "completed": "was sent",
    "failed": "failed",
    "canceled": "was not sent",
    "skipped": "was passed over",
    "merged": "went into a digest with other events",
    "delayed": "waits",
    "running": "is being sent",
    "queued": "waits to be sent again",
    "pending": "has not been reached yet",
}
_ACTION_ENDS = {
    **_CHANNEL_ENDS,
    "completed": "is done",
    "canceled": "was canceled",
    "running": "is under way",
    "queued": "is about to start",
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    at: datetime
    status: str
    text: str
    reason: str = ""
    raw: Any = None


class StepAccount(msgspec.Struct, frozen=True, kw_only=True):
    """What happened at one step."""

    job_id: str
    step_key: str
    type: str
    status: str
    provider_id: str | None
    summary: str
    lines: tuple[Line, ...]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    notification_id: str
    transaction_id: str
    workflow_version: int
    """The version that the run started with and keeps to."""
    summary: str
    steps: tuple[StepAccount, ...]


def account(activity: Activity) -> Account:
    return Account(
        notification_id=activity.notification.id,
        transaction_id=activity.notification.transaction_id,
        workflow_version=activity.notification.workflow_version,
        summary=_summary(activity),
        steps=tuple(_step(activity, job) for job in activity.jobs),
    )


def unheard(triggered: Triggered, topics: Mapping[str, bool]) -> str:
    """Why a trigger reached nobody. `topics`: those that exist, and whether they have members."""
    recipients = triggered.event.recipients
    if triggered.canceled_at is not None:
        return "It was canceled before anybody was notified."
    if triggered.status == "accepted":
        return "It waits for the engine, which has not come to it yet."
    if triggered.status == "failed":
        return "The service failed on it; the server's log tells more under event_failed."
    if recipients.everyone:
        return "It was for everyone, and there was no subscriber."
    if recipients.subscribers or not recipients.topics:
        return "The version of the workflow that it named is gone."
    return " ".join(_of_topic(each.key, topics) for each in recipients.topics)


def _of_topic(key: str, topics: Mapping[str, bool]) -> str:
    if key not in topics:
        return f"There is no topic {key!r}."
    if not topics[key]:
        return f"Nobody is subscribed to the topic {key!r}."
    return f"Of the topic {key!r} nobody was left: they were excluded, or subscribed later."


def _summary(activity: Activity) -> str:
    who = activity.subscriber.key if activity.subscriber else "a subscriber removed since"
    what = activity.workflow.key if activity.workflow else "a workflow removed since"
    sent = [job.type for job in activity.jobs if _ended(job, "completed")]
    open_ = [job for job in activity.jobs if job.status in _OPEN]
    failed = [job.type for job in activity.jobs if _ended(job, "failed")]
    parts = []
    if sent:
        parts.append("sent on " + ", ".join(sent))
    if failed:
        parts.append("failed on " + ", ".join(failed))
    if open_:
        parts.append(f"{len(open_)} of {len(activity.jobs)} steps still to be done")
    return f"{what} for {who}: {'; '.join(parts) or 'nothing was sent'}."


_OPEN = ("pending", "queued", "running", "delayed")


def _ended(job: Job, status: str) -> bool:
    return job.type in CHANNELS and job.status == status


def _step(activity: Activity, job: Job) -> StepAccount:
    step = activity.step(job.step_id)
    name = step.key if step else job.step_id
    return StepAccount(
        job_id=job.id,
        step_key=name,
        type=job.type,
        status=job.status,
        provider_id=job.provider_id,
        summary=_sentence(name, job),
        lines=tuple(_line(detail) for detail in job.details),
    )


def _sentence(name: str, job: Job) -> str:
    """`email step 'mail' was not sent: Subscriber does not have an email address.`"""
    ends = _CHANNEL_ENDS if job.type in CHANNELS else _ACTION_ENDS
    text = f"{job.type} step {name!r} {ends[job.status]}"
    if job.status == "completed" and job.provider_id and job.type in CHANNELS:
        text += f" through {job.provider_id}"
    if job.status == "delayed" and job.due_at is not None:
        text += f" until {job.due_at:%Y-%m-%d %H:%M:%S} UTC"
    if job.attempts > 1:
        text += f" after {job.attempts} attempts"
    why = (
        job.details[-1].detail if job.details and job.status not in ("completed", "pending") else ""
    )
    return f"{text}: {why.rstrip('.')}." if why else f"{text}."


def _line(detail: Detail) -> Line:
    text = detail.detail + (" (again)" if detail.is_retry else "")
    if detail.provider_id:
        text += f" [{detail.provider_id}]"
    return Line(at=detail.at, status=detail.status, text=text, reason=detail.reason, raw=detail.raw)
