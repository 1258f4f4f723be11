"""How long, and which, answers are kept under an idempotency key."""

from datetime import timedelta

KEPT_FOR = timedelta(hours=24)
LEASE = timedelta(minutes=5)
"""How long a request that keeps no transaction open may hold its key."""
LONGEST_KEY = 255


def worth_keeping(status: int) -> bool:
    """Answers that would be the same again; not those that a later try could better."""
    return status < 500 and status not in (401, 429)
