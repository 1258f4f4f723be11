"""Tokens of subscribers: signed by a key of the environment, checked without asking anybody.

A token is a JSON Web Token (HS256). Its audience is the environment, its subject the subscriber;
`kid` names the signing key, so that a new key can sign while tokens of the former one still hold.
"""

import base64
import binascii
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import msgspec

from tidings.domain.scope import Scope
from tidings.domain.sessions import SigningKey
from tidings.domain.subscribers import Subscriber
from tidings.storage import signing_keys
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.world import World

ISSUER = "tidings"
_ALGORITHM = "HS256"


class Visitor(msgspec.Struct, frozen=True):
    """The subscriber on whose behalf a request or a connection acts."""

    scope: Scope
    subscriber_id: str
    subscriber_key: str
    expires_at: datetime
    """When the token runs out, and a connection made with it ends."""


class _Header(msgspec.Struct, frozen=True):
    kid: str
    alg: str
    typ: str = "JWT"


class _Claims(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    iss: str
    aud: str
    sub: str
    subscriber_id: str
    iat: int
    exp: int


_HEADER = msgspec.json.Decoder(_Header)
_CLAIMS = msgspec.json.Decoder(_Claims)


def sign(key: SigningKey, subscriber: Subscriber, now: datetime, lifetime: timedelta) -> str:
    claims = _Claims(
        iss=ISSUER,
        aud=key.scope.environment_id,
        sub=subscriber.id,
        subscriber_id=subscriber.key,
        iat=int(now.timestamp()),
        exp=int((now + lifetime).timestamp()),
    )
    header = _Header(kid=key.id, alg=_ALGORITHM)
    signed = b".".join(_text(msgspec.json.encode(part)) for part in (header, claims))
    return (signed + b"." + _text(_signature(key, signed))).decode()


def key_id(token: str) -> str | None:
    """The key that this token says signed it."""
    header = _decoded(token.partition(".")[0])
    try:
        read = _HEADER.decode(header)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return read.kid if read.alg == _ALGORITHM else None


def verify(key: SigningKey, token: str, now: datetime) -> Visitor | None:
    """Who shows this token, if this key signed it and it has not run out."""
    signed, _, signature = token.encode().rpartition(b".")
    if not hmac.compare_digest(_text(_signature(key, signed)), signature):
        return None
    try:
        claims = _CLAIMS.decode(_decoded(signed.partition(b".")[2].decode()))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    good = (
        claims.iss == ISSUER
        and claims.aud == key.scope.environment_id
        and key.verifies_at(now)
        and now.timestamp() < claims.exp
    )
    if not good:
        return None
    expires_at = datetime.fromtimestamp(claims.exp, UTC)
    return Visitor(key.scope, claims.sub, claims.subscriber_id, expires_at)


class Tokens:
    """The signing keys this process has seen. Empties itself when any key changes anywhere, and
    remembers nothing while it cannot hear of changes."""

    def __init__(self, database: Database, listener: Listener, world: World) -> None:
        self._database = database
        self._listener = listener
        self._world = world
        self._keys: dict[str, SigningKey] = {}
        listener.on(signing_keys.CHANGED, self._forget)

    def _forget(self) -> None:
        self._keys = {}

    async def visitor(self, token: str) -> Visitor | None:
        """Who shows this token; asks the database only about keys not seen before."""
        id = key_id(token)
        key = None if id is None else await self._key(id)
        return None if key is None else verify(key, token, self._world.clock.now())

    async def _key(self, id: str) -> SigningKey | None:
        known = self._keys
        key = known.get(id) if self._listener.hearing else None
        if key is None:
            async with self._database.connection() as connection:
                key = await signing_keys.find(connection, self._world.sealer, id)
            if key is not None:
                known[id] = key  # into the old dict, if it was emptied meanwhile
        return key


def _signature(key: SigningKey, signed: bytes) -> bytes:
    return hmac.new(key.secret, signed, hashlib.sha256).digest()


def _text(value: bytes) -> bytes:
    return base64.urlsafe_b64encode(value).rstrip(b"=")


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
