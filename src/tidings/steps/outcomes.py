"""What a step's `plan` decides. The runner does it.

Outcome
├── Send       produce a message on this channel
├── Wait       go on at a moment
├── Collect    gather events until a moment, then go on once
├── Limit      go on unless this happened too often lately
├── Continue   go on at once
└── Fail       the step cannot be done as it is set up
"""

from datetime import datetime
from typing import Any

import msgspec


class Send(msgspec.Struct, frozen=True):
    """Render the controls and deliver them."""


class Wait(msgspec.Struct, frozen=True):
    until: datetime
    output: dict[str, Any]
    """What later steps see: {"duration": milliseconds}."""


class Collect(msgspec.Struct, frozen=True):
    value: str
    """Events with the same value are gathered together; "" when there is no key."""
    until: datetime
    look_back_from: datetime | None = None
    """Pass at once unless another event of the group came since then."""
    metadata: dict[str, Any] = {}
    """The `digest` of the job as the interface shows it."""


class Limit(msgspec.Struct, frozen=True):
    value: str
    threshold: int
    ends_at: datetime
    """When a window that opens now would end; a window that is open keeps its own end."""


class Continue(msgspec.Struct, frozen=True):
    output: dict[str, Any] = {}


class Fail(msgspec.Struct, frozen=True):
    detail: str
    raw: Any = None


Outcome = Send | Wait | Collect | Limit | Continue | Fail


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """All that a plan may look at."""

    now: datetime
    reached_at: datetime
    """When the run came to this step; waits are counted from here."""
    timezone: str | None
    """The subscriber's; UTC without one."""
    variables: dict[str, Any]
    """payload, subscriber, steps, workflow, context, env, actor."""
    overrides: dict[str, Any] = {}
