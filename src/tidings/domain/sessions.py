"""Sessions of subscribers: how they prove who they are, and for how long that holds."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from tidings.domain.scope import Scope

SIGNING_KEY_SERVES = timedelta(days=30)
"""After that the next session makes a new one."""
FORMER_SECRET_SERVES = timedelta(days=7)
"""How long hashes made with the inbox secret before the present one are accepted."""


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """Signs the tokens of one environment."""

    id: str
    scope: Scope
    secret: bytes
    created_at: datetime
    ends_at: datetime | None = None
    """Of a former key: when the last token it signed has run out."""

    def verifies_at(self, now: datetime) -> bool:
        return self.ends_at is None or now < self.ends_at

    def is_due_for_change(self, now: datetime) -> bool:
        return now - self.created_at >= SIGNING_KEY_SERVES


def subscriber_hash(secret: str, subscriber_key: str) -> str:
    """What the customer's server computes to vouch for one of its users."""
    return hmac.new(secret.encode(), subscriber_key.encode(), hashlib.sha256).hexdigest()


def is_vouched_for(secrets: Iterable[str], subscriber_key: str, given: str) -> bool:
    """Whether one of the secrets makes this hash; takes as long whether or not it does."""
    matches = [
        hmac.compare_digest(
            subscriber_hash(secret, subscriber_key).encode(), given.strip().lower().encode()
        )
        for secret in secrets
    ]
    return any(matches)
