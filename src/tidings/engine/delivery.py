"""Takes one job to the outside: tries its integrations, and writes down every attempt."""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from tidings.domain.integrations import Integration
from tidings.engine import deciding, retry
from tidings.engine.calling_off import CalledOff
from tidings.engine.catching import catches, caught
from tidings.engine.content import Content, MissingLayoutError, render
from tidings.engine.deciding import Need
from tidings.engine.gates import Gates
from tidings.engine.holding import wait_for_turn
from tidings.engine.outgoing import message_of, outgoing
from tidings.engine.run import Run
from tidings.engine.targets import Missing, Target, channel_overrides, left
from tidings.providers import registry
from tidings.providers.base import TEXT_BESIDE_HTML, AnyProvider, spoken
from tidings.providers.delivery import Network, send
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, SENT, Result
from tidings.rendering.templates import TemplateError
from tidings.world import World

_AT_ONCE = 50

TakeTurn = Callable[[str, float], Awaitable[float]]
"""Takes a turn of an integration with this rate; how many seconds it has to wait for it."""


class Turn(msgspec.Struct, frozen=True):
    """A message's turn, which comes later."""

    at: datetime
    integration_id: str
    tried: tuple[str, ...]
    """Integrations that were tried before."""


class _Ready(msgspec.Struct, frozen=True):
    """A message that can be sent."""

    run: Run
    position: int
    content: Content
    targets: Sequence[Target]

    @property
    def first(self) -> str:
        """The integration that is tried first."""
        return next((each.id for target in self.targets for each in target.integrations), "")


class _Line:
    """Messages of a set that are to leave through the same integration."""

    def __init__(self) -> None:
        self.waiting: deque[_Ready] = deque()
        self.carriers = 0


class Courier:
    """Delivers the jobs of one process."""

    def __init__(
        self, network: Network, world: World, called_off: CalledOff, take_turn: TakeTurn
    ) -> None:
        self._network = network
        self._world = world
        self._called_off = called_off
        self._take_turn = take_turn
        self._has_rates = world.limits.has_rates
        self._breaker = retry.Breaker()
        self.gates = Gates(world.limits)
        self.dead_tokens: list[tuple[Run, str, str]] = []

    async def deliver(self, needs: Sequence[Need]) -> None:
        """Send the message of each job to all its targets; the job ends, or waits for another
        attempt. Never raises.

        The contents of some are made and then sent, one kind of work at a time, which is easier on
        the processor's caches than everything for one after the other; then others have a turn.
        Messages through one integration stand in a line, so that a slow one holds up no other.
        """
        lines: dict[str, _Line] = {}
        async with asyncio.TaskGroup() as sending:
            for start in range(0, len(needs), _AT_ONCE):
                now = self._world.clock.now()
                for need in needs[start : start + _AT_ONCE]:
                    ready = self._prepared(need.run, need.position, now)
                    if ready is not None:
                        lines.setdefault(ready.first, _Line()).waiting.append(ready)
                for line in lines.values():
                    for _ in range(min(len(line.waiting), _AT_ONCE - line.carriers)):
                        line.carriers += 1
                        sending.create_task(self._carry(line))
                await asyncio.sleep(0)

    async def _carry(self, line: "_Line") -> None:
        while line.waiting:
            await self._send(line.waiting.popleft())
        line.carriers -= 1

    def _prepared(self, run: Run, position: int, now: datetime) -> "_Ready | None":
        """What to send to whom; None when the job ended without."""
        try:
            content = rendered(run, position, now)
            if content is None:
                return None
            found = left(run, position)
            if isinstance(found, Missing):
                _give_up(run, position, now, found, content)
                return None
            return _Ready(run, position, content, found)
        except Exception as error:
            self._fail(run, position, error)
            return None

    def _fail(self, run: Run, position: int, error: Exception) -> None:
        deciding.fail(
            run,
            position,
            self._world.clock.now(),
            "The step could not be carried out because of a fault of the service",
            reason="fault",
            raw={"fault": type(error).__name__},
        )

    async def _send(self, ready: "_Ready") -> None:
        run, position, content, found = ready.run, ready.position, ready.content, ready.targets
        try:
            if len(found) == 1:
                results = [await self._reach(run, position, found[0], content)]
            else:
                results = await asyncio.gather(
                    *(self._reach(run, position, each, content) for each in found)
                )
            _conclude(run, position, self._world.clock.now(), results)
        except Exception as error:
            self._fail(run, position, error)

    async def _reach(
        self, run: Run, position: int, target: Target, content: Content
    ) -> tuple[Target, Result | Turn | None]:
        """Try the integrations of a target until one takes it, asks us to come back, or has no turn
        for it yet. None when the event was called off meanwhile."""
        tried: list[str] = []
        result: Result | None = Result(
            outcome=BAD_CREDENTIALS, reason="No integration is left to try."
        )
        for integration in self._by_health(target.integrations):
            if self._has_rates and (wait := await self._wait(run, integration)):
                at = self._world.clock.now() + timedelta(seconds=wait)
                return target, Turn(at, integration.id, tuple(tried))
            tried.append(integration.id)
            result = await self._attempt(run, position, target, integration, content)
            if result is None:
                break
            last_try = run.jobs[position].attempts + 1 >= retry.ATTEMPTS
            if result.outcome != BAD_CREDENTIALS and not (last_try and not result.final):
                break
        return target, result

    async def _wait(self, run: Run, integration: Integration) -> float:
        """How many seconds the integration's rate asks to wait; nothing if the turn is taken."""
        if catches(integration):
            return 0.0
        rate = self._world.limits.pace(integration.identifier, integration.provider_id).rate
        if rate is None:
            return 0.0
        if run.turns.get(integration.id, 0) > 0:
            run.turns[integration.id] -= 1
            return 0.0
        return await self._take_turn(integration.id, rate)

    def _by_health(self, integrations: Sequence[Integration]) -> Sequence[Integration]:
        if len(integrations) == 1:
            return integrations
        now = self._world.clock.now()
        return sorted(integrations, key=lambda each: self._breaker.is_open(each.id, now))

    async def _attempt(
        self, run: Run, position: int, target: Target, integration: Integration, content: Content
    ) -> Result | None:
        if catches(integration):
            return self._catch(run, position, target, integration, content)
        job = run.jobs[position]
        provider = registry.find(integration.provider_id)
        now = self._world.clock.now()
        if provider is None:
            return Result(outcome=BAD_CREDENTIALS, reason=f"No provider {integration.provider_id}.")
        message = outgoing(run, position, target, integration, content)
        async with self.gates.of(integration):
            if await self._called_off.includes(run):
                return None
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
        if sent:
            _say_what_was_left_out(run, position, now, provider, result)
        self._bury_tokens(run, integration, result)
        run.messages.append(
            message_of(run, position, target, content, now, integration, result, id=message.id)
        )
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
        run.messages.append(
            message_of(run, position, target, content, now, integration, result, id=message.id)
        )
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
    results: Sequence[tuple[Target, Result | Turn | None]],
) -> None:
    """What the results of all targets mean for the job. One that was called off before anybody was
    reached is left as it is: whoever looks at its event next ends it, with those that follow."""
    job = run.jobs[position]
    state = dict(job.state or {})
    turns = [turn for _, turn in results if isinstance(turn, Turn)]
    settled = [(target, result) for target, result in results if isinstance(result, Result)]
    again = [result for _, result in settled if not result.final]
    reached = [target.key for target, result in settled if result.outcome == SENT]
    reached_before = bool(state.get("sent"))
    attempts = job.attempts + 1
    if any(result is None for _, result in results):
        if reached or reached_before:
            run.change(position, now, "completed", due_at=None, attempts=attempts)
            detail = "The trigger was canceled before all targets were reached"
            run.prove(position, now, "Warning", detail, reason="canceled")
    elif turns:
        state["sent"] = [*state.get("sent", ()), *reached]
        state["tried"] = [*state.get("tried", ()), *(id for turn in turns for id in turn.tried)]
        run.change(position, now, state=state)
        until = max(turn.at for turn in turns)
        wait_for_turn(run, position, until, Counter(turn.integration_id for turn in turns), now)
    elif again and attempts < retry.ATTEMPTS:
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


def _say_what_was_left_out(
    run: Run, position: int, now: datetime, provider: AnyProvider, result: Result
) -> None:
    """A text that we made of the HTML ourselves is missed by nobody."""
    asked_for_text = provider.channel == "email" and channel_overrides(run, "email").get("text")
    missed = [each for each in result.dropped if each != TEXT_BESIDE_HTML or asked_for_text]
    if missed:
        run.prove(
            position,
            now,
            "Warning",
            f"{provider.name} cannot carry {', '.join(map(spoken, missed))}: left out",
            reason="not_carried",
            raw={"notCarried": missed},
            provider_id=provider.id,
        )


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
