"""What became of an event for one subscriber, with everything a reader wants to see beside it."""

from datetime import datetime

import msgspec

from tidings.domain.events import Event
from tidings.domain.messages import Message
from tidings.domain.notifications import Job, Notification
from tidings.domain.subscribers import Subscriber
from tidings.domain.workflows import Definition, Step, Workflow


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """The subscriber, as far as an activity shows it."""

    id: str
    key: str
    first_name: str | None
    last_name: str | None
    email: str | None
    phone: str | None


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """The workflow, as far as an activity shows it."""

    id: str
    key: str
    name: str
    origin: str


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    notification: Notification
    updated_at: datetime
    """When it or the last of its jobs changed."""
    digested_into: str | None
    subscriber: Person | None
    """None when it was removed since; the workflow and the event likewise."""
    workflow: Cause | None
    payload: msgspec.Raw | None
    """JSON as it is stored, for readers to pass on; the overrides likewise."""
    overrides: msgspec.Raw | None
    jobs: tuple[Job, ...] = ()
    definition: Definition | None = None
    """The version of the workflow that ran."""

    def step(self, id: str) -> Step | None:
        steps = self.definition.steps if self.definition else ()
        return next((step for step in steps if step.id == id), None)


class Delivered(msgspec.Struct, frozen=True, kw_only=True):
    """A message with its subscriber, its workflow and what triggered it."""

    message: Message
    seen: bool
    read: bool
    last_seen_at: datetime | None
    last_read_at: datetime | None
    snoozed_until: datetime | None
    payload: msgspec.Raw | None
    overrides: msgspec.Raw | None
    subscriber: Subscriber | None
    workflow: Workflow | None


class Triggered(msgspec.Struct, frozen=True, kw_only=True):
    """A trigger as a whole, whomever it reached."""

    event: Event
    status: str
    """`accepted` until everybody was notified, then `done`, or `failed` by a fault of ours."""
    canceled_at: datetime | None
    workflow: Cause | None
    reached: bool
    """Whether anybody was notified."""
