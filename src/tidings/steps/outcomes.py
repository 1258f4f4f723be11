"""What a step's `plan` decides. The runner does it.

Outcome
├── Send       produce a message on this channel
├── Wait       go on at a moment
├── Collect    gather events until a moment, then go on once
├── Limit      go on unless this happened too often lately
├── Continue   go on at once
└── Fail       the step cannot be done as it is set up
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tidings.domain.limits import Limits


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
    """Of the trigger; `delay` replaces the amount and the unit of a regular wait."""
    rendered: frozenset[str] = frozenset()
    """Names of controls that were templates: what they say is a value and no path to one."""
    limits: Limits = Limits()


Plan = Callable[[Mapping[str, Any], Moment], Outcome]
"""A function of values: it answers the same however often it is asked."""


def send(controls: Mapping[str, Any], moment: Moment) -> Outcome:
    """The plan of every channel: whether and to whom is not the step's to decide."""
    return Send()
