"""How often a key may call: a bucket of tokens per key, in each answering process."""

import math
from datetime import datetime
from http import HTTPStatus

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from tidings.clock import Clock
from tidings.hall.caller import Caller
from tidings.hall.errors import WireError

HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
_BURST_SECONDS = 2.0


class _Bucket(msgspec.Struct):
    tokens: float
    filled_at: datetime


class Limiter:
    """Each key may call `rate` times a second, and two seconds' worth of it at once."""

    def __init__(self, rate: float, clock: Clock) -> None:
        self.rate = rate
        self.burst = max(1.0, rate * _BURST_SECONDS)
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key_id: str) -> float:
        """What is left after one call; negative when there was nothing to take."""
        now = self._clock.now()
        bucket = self._buckets.setdefault(key_id, _Bucket(self.burst, now))
        filled = bucket.tokens + (now - bucket.filled_at).total_seconds() * self.rate
        bucket.tokens = min(self.burst, filled)
        bucket.filled_at = now
        if bucket.tokens < 1:
            return bucket.tokens - 1
        bucket.tokens -= 1
        return bucket.tokens

    def headers(self, left: float) -> dict[str, str]:
        full_in = math.ceil((self.burst - max(left, 0)) / self.rate)
        told = (f"{self.burst:g}", str(max(0, math.floor(left))), str(full_in))
        return dict(zip(HEADERS, told, strict=True))


class Limit:
    """Refuses a key that calls too often, and tells every other how much is left."""

    def __init__(self, app: ASGIApp, limiter: Limiter) -> None:
        self._app = app
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller: Caller = scope["state"]["caller"]
        left = self._limiter.take(caller.key_id)
        headers = self._limiter.headers(left)
        if left < 0:
            wait = math.ceil(-left / self._limiter.rate)
            raise WireError(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"API rate limit exceeded: this key may call {self._limiter.rate:g} times a "
                f"second. Wait {wait} s, or raise the setting `request_rate`.",
                {**headers, "Retry-After": str(wait)},
            )
        told = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

        async def send_with_limit(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *told]
            await send(message)

        await self._app(scope, receive, send_with_limit)
