"""How an environment has been doing, over time."""

from datetime import datetime, timedelta

import msgspec


class Span(msgspec.Struct, frozen=True):
    """A stretch of time up to now, in equal steps."""

    label: str
    length: timedelta
    step: timedelta

    def starts(self, now: datetime) -> list[datetime]:
        """When each step begins, on whole steps, oldest first."""
        seconds = int(self.step.total_seconds())
        last = int(now.timestamp()) // seconds * seconds
        count = int(self.length / self.step)
        return [
            datetime.fromtimestamp(last - seconds * back, now.tzinfo)
            for back in reversed(range(count))
        ]


SPANS = {
    "day": Span("24 hours", timedelta(days=1), timedelta(hours=1)),
    "week": Span("7 days", timedelta(days=7), timedelta(hours=6)),
    "month": Span("30 days", timedelta(days=30), timedelta(days=1)),
}


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """What happened within one step of time."""

    at: datetime
    events: int = 0
    sent: int = 0
    failed: int = 0
    median_seconds: float | None = None
    slow_seconds: float | None = None
    """Nineteen of twenty messages were faster."""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """An integration whose sends fail."""

    integration_id: str
    name: str
    identifier: str
    channel: str
    sent: int
    failed: int
    last_error: str
    last_at: datetime


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How the sends through an integration went for a while."""

    sent: int = 0
    failed: int = 0
    last_at: datetime | None = None
    last_error: str | None = None
    last_failed_at: datetime | None = None

    @property
    def troubled(self) -> bool:
        """Whether at least one send in twenty failed."""
        return self.failed > 0 and self.failed * 20 >= self.sent + self.failed


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A send that an integration did not manage."""

    message_id: str
    transaction_id: str
    error_id: str | None
    error_text: str | None
    at: datetime


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """Which of the first steps were taken."""

    workflow: bool
    provider: bool
    subscriber: bool
    event: bool

    @property
    def all(self) -> bool:
        return self.workflow and self.provider and self.subscriber and self.event
