"""Takes one job to the outside: tries its integrations, and writes down every attempt."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.integrations import Integration
from tidings.engine import deciding, retry
from tidings.engine.catching import catches, caught
from tidings.engine.content import Content, MissingLayoutError, render
from tidings.engine.outgoing import message_of, outgoing
from tidings.engine.run import Run
from tidings.engine.targets import Missing, Target, targets
from tidings.providers import registry
from tidings.providers.delivery import Network, send
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Result
from tidings.rendering.templates import TemplateError
from tidings.world import World


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
        if len(left) == 1:
            results = [await self._reach(run, position, left[0], content)]
        else:
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
