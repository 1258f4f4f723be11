"""The message of a job: as the provider gets it, and as the interface shows it."""

import base64
import binascii
import hashlib
from datetime import datetime
from typing import Any

from tidings.domain.integrations import Integration
from tidings.domain.messages import UNEXPECTED, Message, MessageStatus
from tidings.engine.content import Content
from tidings.engine.run import Run
from tidings.engine.targets import Missing, Target, channel_overrides
from tidings.providers.messages import (
    AnyMessage,
    Attachment,
    ChatMessage,
    EmailMessage,
    PushMessage,
    SmsMessage,
)
from tidings.providers.outcomes import SENT, Result


def provider_overrides(run: Run, position: int, provider_id: str) -> dict[str, Any]:
    """What the trigger says to the vendor: for all steps, then for this one."""
    overrides, step = run.event.overrides, run.step(position)
    for_all = overrides.get("providers", {}).get(provider_id) or {}
    for_step = overrides.get("steps", {}).get(step.key, {}).get("providers", {})
    old_style = overrides.get(provider_id)
    return {
        **(old_style if isinstance(old_style, dict) else {}),
        **for_all,
        **(for_step.get(provider_id) or {}),
    }


def message_id(job_id: str, target: str) -> str:
    """The same for every attempt, in every process: what vendors take as idempotency key."""
    return job_id[:8] + hashlib.sha256(f"{job_id}:{target}".encode()).hexdigest()[:16]


def outgoing(
    run: Run, position: int, target: Target, integration: Integration, content: Content
) -> AnyMessage:
    """The message as the provider gets it."""
    said = channel_overrides(run, integration.channel)
    shared: dict[str, Any] = {
        "id": message_id(run.jobs[position].id, target.key),
        "overrides": provider_overrides(run, position, integration.provider_id),
        "custom_data": said.get("customData") or {},
    }
    if integration.channel == "email":
        return _email(run, target, content, said, shared)
    if integration.channel == "sms":
        return SmsMessage(
            to=target.address["phone"],
            content=said.get("content") or content.text,
            from_=said.get("from"),
            **shared,
        )
    if integration.channel == "push":
        return PushMessage(
            targets=tuple(target.address.get("deviceTokens", ())),
            title=content.subject or "",
            content=content.text,
            payload=run.event.payload,
            subscriber=run.person,
            **shared,
        )
    return ChatMessage(
        content=content.text,
        webhook_url=said.get("webhookUrl") or target.subject.get("webhookUrl"),
        channel=target.subject.get("channel"),
        phone=run.subscriber.phone,
        **shared,
    )


def _email(
    run: Run, target: Target, content: Content, said: dict[str, Any], shared: dict[str, Any]
) -> EmailMessage:
    return EmailMessage(
        to=(target.address["email"], *_listed(said.get("to"))),
        subject=said.get("subject") or content.subject or "",
        html=said.get("html") or content.html,
        text=said.get("text") or content.text,
        from_=said.get("from"),
        sender_name=said.get("senderName"),
        cc=_listed(said.get("cc")),
        bcc=_listed(said.get("bcc")),
        reply_to=said.get("replyTo"),
        headers=said.get("headers") or {},
        attachments=tuple(_attachments(run.event.payload, said)),
        ip_pool=said.get("ipPoolName"),
        **shared,
    )


def _attachments(payload: dict[str, Any], said: dict[str, Any]) -> list[Attachment]:
    found = []
    for each in [*(payload.get("attachments") or ()), *(said.get("attachments") or ())]:
        if isinstance(each, dict) and isinstance(each.get("file"), str):
            try:
                content = base64.b64decode(each["file"])
            except binascii.Error:
                continue
            name, mime = str(each.get("name") or "attachment"), each.get("mime")
            found.append(
                Attachment(name=name, content=content, mime=mime or "application/octet-stream")
            )
    return found


def _listed(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, list) else ()


def message_of(
    run: Run,
    position: int,
    target: Target,
    content: Content,
    now: datetime,
    integration: Integration | None = None,
    result: Result | None = None,
    missing: Missing | None = None,
    id: str | None = None,
) -> Message:
    """The message as the interface shows it; with the id that it went out with, if it did."""
    job, notification = run.jobs[position], run.notification
    status: MessageStatus = "sent"
    error: str | None = None
    if missing is not None:
        status, error = "warning", missing.detail
    elif result is not None and result.outcome != SENT:
        status, error = "error", result.reason
    delivered = status == "sent" and job.type == "in_app"
    return Message(
        id=id or message_id(job.id, target.key),
        notification_id=notification.id,
        job_id=job.id,
        event_id=notification.event_id,
        transaction_id=notification.transaction_id,
        workflow_id=notification.workflow_id,
        step_id=job.step_id,
        subscriber_id=notification.subscriber_id,
        channel=job.type,  # type: ignore[arg-type]
        target=target.key,
        provider_id=None if integration is None else integration.provider_id,
        integration_id=None if integration is None else integration.id,
        provider_message_id=None if result is None else result.id,
        status=status,
        error_id=None if error is None else (missing.error_id if missing else UNEXPECTED[job.type]),
        error_text=error,
        content=content.stored,
        subject=content.subject,
        address=target.address,
        cta=content.cta,
        data=content.data,
        avatar=content.avatar,
        tags=notification.tags,
        severity=notification.severity,
        context_keys=notification.context_keys,
        delivered_at=(now,) if delivered else (),
        created_at=now,
    )
