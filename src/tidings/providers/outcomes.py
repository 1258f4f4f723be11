"""What became of a send, in our words, and what a vendor later reports about it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

import msgspec

from tidings.domain.deliveries import Event as Event
from tidings.domain.deliveries import Happened as Happened

Outcome = Literal[
    "sent", "bad_recipient", "bad_request", "bad_credentials", "throttled", "retryable"
]
SENT: Outcome = "sent"
BAD_RECIPIENT: Outcome = "bad_recipient"
"""This address, number or device can never work."""
BAD_REQUEST: Outcome = "bad_request"
"""The content or a parameter was refused, or the target may not be called."""
BAD_CREDENTIALS: Outcome = "bad_credentials"
"""Wrong key, no permission, unverified sender, no credit: until somebody changes something."""
THROTTLED: Outcome = "throttled"
RETRYABLE: Outcome = "retryable"

FINAL: frozenset[Outcome] = frozenset({SENT, BAD_RECIPIENT, BAD_REQUEST, BAD_CREDENTIALS})

_GRAVEST: tuple[Outcome, ...] = (
    SENT,
    THROTTLED,
    RETRYABLE,
    BAD_CREDENTIALS,
    BAD_REQUEST,
    BAD_RECIPIENT,
)


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one target of several."""

    target: str
    outcome: Outcome
    id: str | None = None
    reason: str = ""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    outcome: Outcome
    id: str | None = None
    """The vendor's message id; delivery puts ours where the vendor gives none."""
    date: datetime | None = None
    reason: str = ""
    """One sentence for people: the vendor's, where it gave one."""
    code: str | None = None
    retry_after: float | None = None
    """Seconds that the vendor asks us to wait."""
    verdicts: tuple[Verdict, ...] = ()
    dropped: tuple[str, ...] = ()
    """Parts of the message that this vendor cannot carry and that were left out."""
    status: int | None = None
    raw: str = ""
    """The beginning of the vendor's answer, without secrets."""

    @property
    def final(self) -> bool:
        return self.outcome in FINAL


def by_status(status: int) -> Outcome:
    """What an HTTP status means where the vendor's page says nothing else."""
    if 200 <= status < 300:
        return SENT
    if status in (401, 402, 403, 407):
        return BAD_CREDENTIALS
    if status == 429:
        return THROTTLED
    if status in (408, 425) or status >= 500:
        return RETRYABLE
    return BAD_REQUEST


def together(results: Iterable[Result]) -> Result:
    """One result of several sends of one message: sent if any was; else something that may still
    be tried again; the verdicts tell which was which."""
    every = list(results)
    chosen = min(every, key=lambda result: _GRAVEST.index(result.outcome))
    verdicts = tuple(verdict for result in every for verdict in result.verdicts)
    dropped = tuple(dict.fromkeys(name for result in every for name in result.dropped))
    return msgspec.structs.replace(chosen, verdicts=verdicts, dropped=dropped)
