"""One run in the hands of a worker: a notification, its jobs, and what is decided about them."""

from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec

from tidings.domain.catching import Caught
from tidings.domain.channels import CHANNELS
from tidings.domain.events import Event
from tidings.domain.messages import Message
from tidings.domain.notifications import (
    FINAL,
    Detail,
    DetailSource,
    DetailStatus,
    Job,
    JobStatus,
    Notification,
)
from tidings.domain.preferences import Chosen, Merged
from tidings.domain.scope import Scope
from tidings.domain.subscribers import Subscriber
from tidings.domain.workflows import Step
from tidings.engine.blueprint import Blueprint
from tidings.engine.catalog import Surroundings
from tidings.world import World

_NOTHING_HAPPENED: dict[str, dict[str, Any]] = {
    "in_app": {"seen": False, "read": False, "lastSeenDate": None, "lastReadDate": None},
    "digest": {"events": [], "eventCount": 0},
    "delay": {"duration": 0},
    "throttle": {"throttled": False},
}


class Run:
    def __init__(
        self,
        *,
        scope: Scope,
        event: Event,
        notification: Notification,
        blueprint: Blueprint,
        surroundings: Surroundings,
        subscriber: Subscriber,
        chosen: Chosen,
        jobs: list[Job],
        world: World,
        fresh: bool,
    ) -> None:
        self.scope = scope
        self.event = event
        self.notification = notification
        self.blueprint = blueprint
        self.surroundings = surroundings
        self.subscriber = subscriber
        self.chosen = chosen
        self.jobs = jobs
        self.fresh = fresh
        self.changed: set[int] = set()
        self.messages: list[Message] = []
        self.leaving: set[int] = set()
        """Positions of messages that are decided and on their way out."""
        self.tried_before: set[str] = set()
        """Jobs that may have messages already."""
        self.caught: list[Caught] = []
        self.events_of: dict[str, list[dict[str, Any]]] = {}
        """What digests gathered, by job."""
        self.live_as_of = 0
        """How many cancellations had been heard of when its event was last seen to be live."""
        self.turns: dict[str, int] = {}
        """Messages that may go through integrations with a rate: their turns are taken."""
        self.digested_into: str | None = None
        self.limits = world.limits
        self.catching = world.catching
        self._ids = world.ids

    def step(self, position: int) -> Step:
        return self.blueprint.steps[self.jobs[position].step_id]

    def next_position(self) -> int | None:
        """The job whose turn it is; None when all are final or one waits for its time.

        Messages of channel steps that follow each other leave together: none of them can know what
        became of the others. Only with limited rates each waits for the one before.
        """
        for position, job in enumerate(self.jobs):
            if job.status in FINAL or position in self.leaving:
                continue
            apart = self.limits.has_rates or not is_channel(job.type)
            waits = job.status == "delayed" or (apart and self.leaving)
            return None if waits else position
        return None

    def wait_together(self, now: datetime) -> None:
        """Of several messages that are to be sent again, the first has the timer for all, so that
        only one worker comes to have the run in hand."""
        waiting = [place for place, job in enumerate(self.jobs) if job.status == "delayed"]
        if len(waiting) > 1:
            due = max(self.jobs[place].due_at or now for place in waiting)
            first, *others = waiting
            self.change(first, now, due_at=due)
            for place in others:
                self.change(place, now, "queued", due_at=None)

    def change(
        self,
        position: int,
        now: datetime,
        status: JobStatus | None = None,
        **fields: Any,
    ) -> Job:
        job = self.jobs[position]
        job = msgspec.structs.replace(job, status=status or job.status, updated_at=now, **fields)
        self.jobs[position] = job
        self.changed.add(position)
        return job

    def prove(
        self,
        position: int,
        now: datetime,
        status: DetailStatus,
        detail: str,
        *,
        reason: str = "",
        raw: Any = None,
        source: DetailSource = "Internal",
        is_retry: bool = False,
        provider_id: str | None = None,
    ) -> None:
        """Add a line of proof to the job."""
        line = Detail(
            id=self._ids.new(),
            at=now,
            status=status,
            detail=detail,
            reason=reason,
            source=source,
            is_retry=is_retry,
            provider_id=provider_id,
            raw=raw,
        )
        job = self.jobs[position]
        self.jobs[position] = msgspec.structs.replace(job, details=(*job.details, line))
        self.changed.add(position)

    def end_rest(
        self, after: int, now: datetime, status: JobStatus, detail: str, reason: str
    ) -> None:
        """Give every job behind that one the same end."""
        for position in range(after + 1, len(self.jobs)):
            if self.jobs[position].status not in FINAL:
                self.change(position, now, status)
                self.prove(position, now, "Success", detail, reason=reason)

    @cached_property
    def preferences(self) -> Merged:
        return self.blueprint.preferences(self.chosen, self.notification.workflow_id)

    @cached_property
    def person(self) -> dict[str, Any]:
        """The subscriber as templates and conditions see it."""
        subscriber = self.subscriber
        return {
            "subscriberId": subscriber.key,
            "firstName": subscriber.first_name,
            "lastName": subscriber.last_name,
            "email": subscriber.email,
            "phone": subscriber.phone,
            "avatar": subscriber.avatar,
            "locale": subscriber.locale,
            "timezone": subscriber.timezone,
            "isOnline": subscriber.is_online,
            "lastOnlineAt": subscriber.last_online_at,
            "data": {} if subscriber.data is None else msgspec.json.decode(subscriber.data),
        }

    @cached_property
    def _constants(self) -> dict[str, Any]:
        environment = self.surroundings.environment
        return {
            "payload": self.event.payload,
            "subscriber": self.person,
            "workflow": {**self.blueprint.workflow, "severity": self.notification.severity},
            "context": self.event.context,
            "env": {"name": environment.name, "type": environment.kind},
            "actor": self.event.actor or {},
            "tenant": self.event.tenant or {},
        }

    def variables(self, position: int) -> dict[str, Any]:
        """What the step at that position may use."""
        steps = {}
        for job in self.jobs[:position]:
            output = {**_NOTHING_HAPPENED.get(job.type, {}), **(job.output or {})}
            if job.id in self.events_of:
                output["events"] = self.events_of[job.id]
            steps[self.blueprint.steps[job.step_id].key] = output
        return {**self._constants, "steps": steps}


def is_channel(type: str) -> bool:
    return type in CHANNELS
