"""The inbox of a subscriber: the states of an in-app message and the rules between them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, get_args

import msgspec

Severity = Literal["high", "medium", "low", "none"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

MOST_COUNTED = 100
"""Counts stop here: a bell shows `99+` anyway."""
LONGEST_SNOOZE = timedelta(days=90)


class Unread(msgspec.Struct, frozen=True):
    """How many messages wait to be read."""

    total: int
    by_severity: Mapping[Severity, int]
    has_more: bool
    """Whether there are more than `total`."""

    @classmethod
    def of(cls, found: Mapping[Severity, int]) -> "Unread":
        """From counts that may go beyond what is counted."""
        total = sum(found.values())
        return cls(
            min(total, MOST_COUNTED),
            {each: min(found.get(each, 0), MOST_COUNTED) for each in SEVERITIES},
            total > MOST_COUNTED,
        )
