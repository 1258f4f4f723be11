"""What becomes of a job when its turn comes: skip it, send it, wait, gather, limit or go on.

Decides with values; the runner acts. Every job that ends without sending says why.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from tidings.dialect import Dialect
from tidings.domain import rules
from tidings.domain.schedules import is_open
from tidings.domain.timing import zone_of
from tidings.engine.run import Run, is_channel
from tidings.rendering.templates import TemplateError, render
from tidings.steps import registry
from tidings.steps.outcomes import Collect, Continue, Fail, Limit, Moment, Outcome, Send, Wait
from tidings.steps.waits import extended

_HELD_BY_SCHEDULE = frozenset({"email", "sms", "push", "chat"})
_LAYERS = {
    "workflow_default": "Step filtered by workflow preferences",
    "workflow_user": "Step filtered by user preferences",
    "subscriber_global": "Step filtered by subscriber global preferences",
    "subscriber_workflow": "Step filtered by subscriber workflow preferences",
}
_TEMPLATED = ("digestKey", "throttleKey", "dynamicKey", "cron", "amount")


class Need(msgspec.Struct, frozen=True):
    """What a run needs from outside before it can go on."""

    run: Run
    position: int
    outcome: Send | Collect | Limit | None
    """None: its digest is to be closed."""


def walk(run: Run, now: datetime, dialect: Dialect) -> Iterator[Need]:
    """Go on until something is needed, or the run waits or is finished. Messages may be needed
    several at a time."""
    while (position := run.next_position()) is not None:
        need = _reach(run, position, now, dialect)
        if need is None:
            continue
        yield need
        if not isinstance(need.outcome, Send):
            return
        run.leaving.add(position)


def _reach(run: Run, position: int, now: datetime, dialect: Dialect) -> Need | None:
    job = run.jobs[position]
    if job.status in ("running", "queued"):
        return _resume(run, position, now)
    if job.reached_at is None:
        job = run.change(position, now, reached_at=now)
    if _is_skipped(run, position, now, dialect):
        return None
    if is_channel(job.type) and (
        _is_unwanted(run, position, now) or _is_too_late(run, position, now)
    ):
        return None
    outcome = _plan(run, position, now)
    return _follow(run, position, now, outcome)


def _resume(run: Run, position: int, now: datetime) -> Need | None:
    """A send to repeat, or a timer that has run out."""
    job = run.jobs[position]
    if is_channel(job.type):
        return Need(run, position, Send())
    if job.type == "digest" and not _extended(run, position, now):
        return Need(run, position, None)
    if job.type != "digest":
        _finish_wait(run, position, now)
    return None


def _is_skipped(run: Run, position: int, now: datetime, dialect: Dialect) -> bool:
    condition = run.step(position).controls.get("skip")
    if not condition:
        return False
    variables = run.variables(position)
    holds = rules.evaluate(
        condition, variables, now=now, render=lambda text: render(text, variables)
    )
    if holds != dialect.skip_runs_the_step:
        return _skip(run, position, now, condition, variables)
    return False


def _skip(
    run: Run, position: int, now: datetime, condition: Any, variables: dict[str, Any]
) -> bool:
    compared = rules.explain(
        condition, variables, now=now, render=lambda text: render(text, variables)
    )
    channel = is_channel(run.jobs[position].type)
    run.change(position, now, "canceled" if channel else "skipped")
    run.prove(
        position,
        now,
        "Success",
        "Step was filtered based on steps filters",
        reason="condition",
        raw={"condition": condition, "compared": msgspec.to_builtins(compared)},
    )
    return True


def _is_unwanted(run: Run, position: int, now: datetime) -> bool:
    channel = run.jobs[position].type
    decision = run.preferences.deciding(channel)  # type: ignore[arg-type]
    if decision.enabled:
        return False
    run.change(position, now, "canceled")
    run.prove(
        position,
        now,
        "Success",
        _LAYERS[decision.layer],
        reason="preference",
        raw={"channel": channel, "layer": decision.layer},
    )
    return True


def _is_too_late(run: Run, position: int, now: datetime) -> bool:
    """Outside the hours in which the subscriber wants to be reached."""
    if run.jobs[position].type not in _HELD_BY_SCHEDULE or run.notification.critical:
        return False
    schedule, timezone = run.chosen.schedule, run.subscriber.timezone
    if is_open(schedule, now, zone_of(timezone)):
        return False
    run.change(position, now, "canceled")
    run.prove(
        position,
        now,
        "Success",
        "The step was skipped as it fell outside the subscriber's schedule",
        reason="schedule",
        raw={"schedule": msgspec.to_builtins(schedule), "timezone": timezone or "UTC"},
    )
    return True


def _plan(run: Run, position: int, now: datetime) -> Outcome:
    job, step = run.jobs[position], run.step(position)
    if is_channel(step.type):
        return Send()  # what every channel's plan says, without gathering what plans may ask for
    variables = run.variables(position)
    templates = {
        name: value
        for name, value in step.controls.items()
        if name in _TEMPLATED and isinstance(value, str) and "{{" in value
    }
    try:
        rendered = {name: render(value, variables) for name, value in templates.items()}
    except TemplateError as error:
        return Fail(error.fault.message)
    moment = Moment(
        now=now,
        reached_at=job.reached_at or now,
        timezone=run.subscriber.timezone,
        variables=variables,
        overrides=run.event.overrides,
        rendered=frozenset(rendered),
        limits=run.limits,
    )
    return registry.plan(step.type, {**step.controls, **rendered}, moment)


def _follow(run: Run, position: int, now: datetime, outcome: Outcome) -> Need | None:
    if isinstance(outcome, Send | Collect | Limit):
        return Need(run, position, outcome)
    if isinstance(outcome, Wait):
        _wait(run, position, now, outcome)
    elif isinstance(outcome, Continue):
        run.change(position, now, "completed", output=outcome.output)
        run.prove(position, now, "Success", "Step completed", reason=run.jobs[position].type)
    else:
        fail(run, position, now, outcome.detail, reason="configuration", raw=outcome.raw)
    return None


def _wait(run: Run, position: int, now: datetime, outcome: Wait) -> None:
    run.change(position, now, "delayed", due_at=outcome.until, output=outcome.output)
    if outcome.until <= now:
        _finish_wait(run, position, now)
        return
    run.prove(
        position, now, "Pending", "Step delayed", reason="delay", raw={"until": outcome.until}
    )


def _finish_wait(run: Run, position: int, now: datetime) -> None:
    if not _extended(run, position, now):
        run.change(position, now, "completed", due_at=None)
        run.prove(position, now, "Success", "Delay is finished", reason="delay")


def fail(
    run: Run, position: int, now: datetime, detail: str, *, reason: str, raw: Any = None
) -> None:
    """End the job; an action step that fails ends the run."""
    run.change(position, now, "failed", due_at=None)
    run.prove(position, now, "Failed", detail, reason=reason, raw=raw)
    if not is_channel(run.jobs[position].type):
        run.end_rest(position, now, "canceled", "An earlier step failed", reason="halted")


def _extended(run: Run, position: int, now: datetime) -> bool:
    """Put off the end of a wait that falls outside the subscriber's hours."""
    job = run.jobs[position]
    if not run.step(position).controls.get("extendToSchedule"):
        return False
    state = job.state or {}
    until = extended(
        now,
        run.chosen.schedule,
        run.subscriber.timezone,
        run.notification.critical,
        state.get("extended", 0),
    )
    if until is None:
        return False
    run.change(
        position,
        now,
        "delayed",
        due_at=until,
        state={**state, "extended": state.get("extended", 0) + 1},
    )
    run.prove(
        position,
        now,
        "Pending",
        "The wait was extended to the subscriber's schedule",
        reason="schedule",
        raw={"until": until, "timezone": run.subscriber.timezone or "UTC"},
    )
    return True
