"""Takes one job to the outside: chooses the integration, sends, and writes down every attempt."""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.channels import Channel
from tidings.domain.credentials import ChannelEntry
from tidings.domain.integrations import Integration, candidates
from tidings.domain.messages import UNEXPECTED, Message, MessageStatus
from tidings.engine import deciding, retry
from tidings.engine.catching import catcher, catches, caught
from tidings.engine.content import Content, MissingLayoutError, render
from tidings.engine.run import Run
from tidings.providers import registry
from tidings.providers.delivery import Network, send
from tidings.providers.messages import (
    AnyMessage,
    Attachment,
    ChatMessage,
    EmailMessage,
    PushMessage,
    SmsMessage,
)
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Result
from tidings.rendering.templates import TemplateError
from tidings.world import World

_ENTRIES = msgspec.json.Decoder(list[ChannelEntry])


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One address that a job's message goes to."""

    key: str = ""
    address: dict[str, Any] = {}
    integrations: list[Integration] = []
    """In the order in which they are to be tried."""
    subject: dict[str, Any] = {}
    """The subscriber's credentials for it."""


class Missing(msgspec.Struct, frozen=True):
    """Why there is nobody to send to."""

    detail: str
    error_id: str
    failed: bool = False
    """The environment lacks something, not the subscriber."""


class Courier:
    """Delivers the jobs of one process."""

    def __init__(self, network: Network, world: World) -> None:
        self._network = network
        self._world = world
        self._breaker = retry.Breaker()
        self._gates: dict[str, asyncio.Semaphore] = {}
        self.dead_tokens: list[tuple[Run, str, str]] = []

    async def deliver(self, run: Run, position: int) -> None:
        """Send the message of that job to all its targets; the job ends, or waits for another
        attempt. Never raises."""
        try:
            await self._deliver(run, position)
        except Exception as error:
            deciding.fail(
                run,
                position,
                self._world.clock.now(),
                "The step could not be carried out because of a fault of the service",
                reason="fault",
                raw={"fault": type(error).__name__},
            )

    async def _deliver(self, run: Run, position: int) -> None:
        now = self._world.clock.now()
        content = rendered(run, position, now)
        if content is None:
            return
        found = targets(run, position)
        if isinstance(found, Missing):
            _give_up(run, position, now, found, content)
            return
        reached = set((run.jobs[position].state or {}).get("sent", ()))
        left = [target for target in found if target.key not in reached]
        results = await asyncio.gather(
            *(self._reach(run, position, each, content) for each in left)
        )
        _conclude(run, position, self._world.clock.now(), results, bool(reached))

    async def _reach(
        self, run: Run, position: int, target: Target, content: Content
    ) -> tuple[Target, Result]:
        """Try the integrations of a target until one takes it or asks us to come back."""
        tried = set((run.jobs[position].state or {}).get("tried", ()))
        left = [each for each in target.integrations if each.id not in tried]
        result = Result(outcome=BAD_CREDENTIALS, reason="No integration is left to try.")
        for integration in self._by_health(left or target.integrations):
            result = await self._attempt(run, position, target, integration, content)
            last_try = run.jobs[position].attempts + 1 >= retry.ATTEMPTS
            if result.outcome != BAD_CREDENTIALS and not (last_try and not result.final):
                break
        return target, result

    def _by_health(self, integrations: Sequence[Integration]) -> list[Integration]:
        now = self._world.clock.now()
        return sorted(integrations, key=lambda each: self._breaker.is_open(each.id, now))

    async def _attempt(
        self, run: Run, position: int, target: Target, integration: Integration, content: Content
    ) -> Result:
        if catches(integration):
            return self._catch(run, position, target, integration, content)
        job = run.jobs[position]
        provider = registry.find(integration.provider_id)
        now = self._world.clock.now()
        if provider is None:
            return Result(outcome=BAD_CREDENTIALS, reason=f"No provider {integration.provider_id}.")
        message = outgoing(run, position, target, integration, content)
        gate = self._gates.setdefault(
            integration.id, asyncio.Semaphore(self._world.limits.send_concurrency)
        )
        async with gate:
            result = await send(provider, integration.credentials, message, self._network, now)
        now = self._world.clock.now()
        sent = result.outcome == SENT
        self._breaker.note(integration.id, sent or result.outcome == BAD_RECIPIENT, now)
        run.change(position, now, provider_id=integration.provider_id)
        run.prove(
            position,
            now,
            "Success" if sent else "Failed" if result.final else "Warning",
            "Message sent" if sent else "Unexpected provider error",
            reason="provider",
            raw=_verdict(result, integration, target),
            is_retry=job.attempts > 0,
            provider_id=integration.provider_id,
            source="Credentials" if result.outcome == BAD_CREDENTIALS else "Internal",
        )
        self._bury_tokens(run, integration, result)
        run.messages.append(message_of(run, position, target, content, now, integration, result))
        return result

    def _catch(
        self, run: Run, position: int, target: Target, integration: Integration, content: Content
    ) -> Result:
        """Keep the message instead of sending it; it is saved together with the job."""
        now = self._world.clock.now()
        message = outgoing(run, position, target, integration, content)
        result = Result(outcome=SENT, id=message.id, date=now)
        run.caught.append(caught(run, self._world, integration.channel, message))
        run.change(position, now, provider_id=integration.provider_id)
        run.prove(
            position,
            now,
            "Success",
            "Message caught, since no integration is active and this is development",
            reason="provider",
            raw=_verdict(result, integration, target),
            provider_id=integration.provider_id,
        )
        run.messages.append(message_of(run, position, target, content, now, integration, result))
        return result

    def _bury_tokens(self, run: Run, integration: Integration, result: Result) -> None:
        if integration.channel == "push":
            for verdict in result.verdicts:
                if verdict.outcome == BAD_RECIPIENT:
                    self.dead_tokens.append((run, integration.id, verdict.target))


def rendered(run: Run, position: int, now: datetime) -> Content | None:
    """The content of a channel step; None when it cannot be made, which the job then says."""
    try:
        return render(run, position)
    except TemplateError as error:
        raw = msgspec.to_builtins(error.fault)
        detail = "Message content could not be generated"
        deciding.fail(run, position, now, detail, reason="content", raw=raw)
    except MissingLayoutError as error:
        deciding.fail(run, position, now, "Layout not found", reason="content", raw=str(error))
    return None


def targets(run: Run, position: int) -> list[Target] | Missing:
    channel: Channel = run.jobs[position].type  # type: ignore[assignment]
    if channel in ("email", "sms"):
        return _single(run, channel)
    return _several(run, channel)


def address_of(run: Run, channel: Channel) -> str | None:
    """Where an e-mail or a text message goes: one address."""
    overrides = channel_overrides(run, channel)
    if channel == "email":
        return overrides.get("toRecipient") or run.subscriber.email
    return overrides.get("to") or run.subscriber.phone


def _single(run: Run, channel: Channel) -> list[Target] | Missing:
    overrides = channel_overrides(run, channel)
    address = address_of(run, channel)
    if not address and channel == "email":
        return Missing("Subscriber is missing an email address", "mail_unexpected_error")
    if not address:
        return Missing("Subscriber is missing a phone number", "no_subscriber_phone")
    fitting = _fitting(run, channel, overrides.get("integrationIdentifier"))
    if not fitting and (ours := catcher(run, channel)):
        fitting = [ours]
    if not fitting:
        return Missing(
            "Subscriber does not have an active integration",
            f"{channel}_missing_integration_error",
            failed=True,
        )
    name = "email" if channel == "email" else "phone"
    return [Target(key="", address={name: address}, integrations=fitting)]


def _several(run: Run, channel: Channel) -> list[Target] | Missing:
    """Every chat room and every device the subscriber has."""
    fitting = {each.id: each for each in _fitting(run, channel, None)}
    entries = _ENTRIES.decode(run.subscriber.channels)
    found: list[Target] = []
    for entry in entries:
        integration = fitting.get(entry.integration_id)
        if integration is not None:
            found += _entry_targets(channel, integration, entry)
    if found:
        return found
    if ours := catcher(run, channel):
        return [_caught_target(channel, ours, entries)]
    if not any(each.channel == channel for each in run.surroundings.integrations):
        return Missing(
            "Subscriber does not have an active integration",
            f"{channel}_missing_integration_error",
            failed=True,
        )
    return Missing(
        "Subscriber does not have a configured channel",
        "no_subscriber_chat_channel_id" if channel == "chat" else "no_subscriber_push_token",
    )


def _caught_target(channel: Channel, ours: Integration, entries: list[ChannelEntry]) -> Target:
    """One for all the subscriber has, which may be nothing."""
    every = [entry.credentials for entry in entries]
    if channel == "push":
        tokens = [token for each in every for token in each.get("deviceTokens", ())]
        return Target(address={"deviceTokens": tokens} if tokens else {}, integrations=[ours])
    room = next((each for each in every if each.get("webhookUrl") or each.get("channel")), {})
    place = room.get("webhookUrl")
    address = {"webhookUrl": place} if place else {}
    return Target(address=address, integrations=[ours], subject=room)


def _entry_targets(channel: Channel, integration: Integration, entry: ChannelEntry) -> list[Target]:
    credentials = entry.credentials
    if channel == "push":
        return [
            Target(
                key=f"{integration.id}:{token}",
                address={"deviceTokens": [token]},
                integrations=[integration],
                subject=credentials,
            )
            for token in credentials.get("deviceTokens", ())
        ]
    place = credentials.get("webhookUrl") or credentials.get("channel") or ""
    return [
        Target(
            key=f"{integration.id}:{place}",
            address={"webhookUrl": place} if place else {},
            integrations=[integration],
            subject=credentials,
        )
    ]


def _fitting(run: Run, channel: Channel, identifier: str | None) -> list[Integration]:
    data: Any = {"subscriber": run.person, "payload": run.event.payload}
    found = candidates(run.surroundings.integrations, channel, data, identifier)
    return [candidate.integration for candidate in found]


def channel_overrides(run: Run, channel: str) -> dict[str, Any]:
    said = run.event.overrides.get(channel)
    nested = run.event.overrides.get("channels", {}).get(channel)
    return {**(said if isinstance(said, dict) else {}), **(nested or {})}


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
    import base64
    import binascii

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
) -> Message:
    """The message as the interface shows it."""
    job, notification = run.jobs[position], run.notification
    status: MessageStatus = "sent"
    error: str | None = None
    if missing is not None:
        status, error = "warning", missing.detail
    elif result is not None and result.outcome != SENT:
        status, error = "error", result.reason
    delivered = status == "sent" and job.type == "in_app"
    return Message(
        id=message_id(job.id, target.key),
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


def _give_up(run: Run, position: int, now: datetime, missing: Missing, content: Content) -> None:
    """There is nobody to send to."""
    if missing.failed:
        deciding.fail(run, position, now, missing.detail, reason="integration")
        return
    run.change(position, now, "canceled", due_at=None)
    channel = run.jobs[position].type
    level: Any = "Warning" if channel in ("push", "chat") else "Failed"
    run.prove(position, now, level, missing.detail, reason="address")
    if channel in ("email", "sms"):
        run.messages.append(message_of(run, position, Target(), content, now, missing=missing))


def _conclude(
    run: Run,
    position: int,
    now: datetime,
    results: Sequence[tuple[Target, Result]],
    reached_before: bool,
) -> None:
    """What the results of all targets mean for the job."""
    job = run.jobs[position]
    state = dict(job.state or {})
    again = [result for _, result in results if not result.final]
    reached = [target.key for target, result in results if result.outcome == SENT]
    attempts = job.attempts + 1
    if again and attempts < retry.ATTEMPTS:
        asked = max((result.retry_after or 0.0 for result in again), default=0.0)
        due = now + retry.pause(attempts, asked)
        state["sent"] = [*state.get("sent", ()), *reached]
        run.change(position, now, "delayed", due_at=due, attempts=attempts, state=state)
        run.prove(
            position,
            now,
            "Pending",
            f"Attempt {attempts} did not succeed; the next follows",
            reason="retry",
            raw={"until": due, "attempt": attempts},
        )
    elif reached or reached_before:
        run.change(position, now, "completed", due_at=None, attempts=attempts)
    else:
        run.change(position, now, "failed", due_at=None, attempts=attempts)


def _verdict(result: Result, integration: Integration, target: Target) -> dict[str, Any]:
    said = {
        "outcome": result.outcome,
        "integration": integration.identifier,
        "providerId": integration.provider_id,
        "id": result.id,
        "reason": result.reason,
        "status": result.status,
        "answer": result.raw,
        "target": target.address,
        "notCarried": list(result.dropped),
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}
