"""Who is calling: the API key in the Authorization header, looked up by its digest and cached."""

from datetime import datetime
from http import HTTPStatus

from litestar.types import ASGIApp, Receive, Scope, Send

from tidings.clock import Clock
from tidings.domain.keys import ApiKey, digest
from tidings.hall.caller import Caller
from tidings.hall.errors import WireError
from tidings.storage import keys
from tidings.storage.changes import Listener
from tidings.storage.database import Database

SCHEME = "ApiKey"
_CHALLENGE = {"WWW-Authenticate": 'ApiKey realm="Tidings"'}


class KeyRing:
    """The keys this process has seen. Empties itself when any key changes anywhere, and remembers
    nothing while it cannot hear of changes."""

    def __init__(self, database: Database, listener: Listener, clock: Clock) -> None:
        self._database = database
        self._listener = listener
        self._clock = clock
        self._callers: dict[bytes, Caller] = {}
        self._used: dict[str, datetime] = {}
        listener.on(keys.CHANGED, self._forget)

    def _forget(self) -> None:
        self._callers = {}

    async def caller(self, secret: str) -> Caller | None:
        known = self._callers
        mark = digest(secret)
        caller = known.get(mark) if self._listener.hearing else None
        if caller is None:
            async with self._database.connection() as connection:
                key = await keys.find_live(connection, mark)
            if key is None:
                return None
            caller = known[mark] = _caller(key)  # into the old dict, if it was emptied meanwhile
        self._used[caller.key_id] = self._clock.now()
        return caller

    async def note_use(self) -> None:
        """Write down when keys were last used; called now and then, not per request."""
        used, self._used = self._used, {}
        if used:
            async with self._database.connection() as connection:
                await keys.note_use(connection, used)


class Authenticate:
    """Lets a request through with its Caller in the state, or refuses it."""

    def __init__(self, app: ASGIApp, key_ring: KeyRing) -> None:
        self._app = app
        self._key_ring = key_ring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = await self._key_ring.caller(_secret(scope))
        if caller is None:
            raise _unauthorized("API key not found. Make one with `tidings keys create`.")
        scope["state"]["caller"] = caller
        await self._app(scope, receive, send)


def _secret(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, secret = value.decode("latin-1").partition(" ")
            if scheme != SCHEME:
                raise _unauthorized(
                    f"Invalid authentication scheme: {scheme[:32]!r}. Use `Authorization: "
                    f"{SCHEME} <key>`."
                )
            if not secret.strip():
                raise _unauthorized(f"Unauthorized: the key is missing behind {SCHEME}.")
            return secret.strip()
    raise _unauthorized(f"Missing authorization header. Send `Authorization: {SCHEME} <key>`.")


def _unauthorized(message: str) -> WireError:
    return WireError(HTTPStatus.UNAUTHORIZED, message, _CHALLENGE)


def _caller(key: ApiKey) -> Caller:
    return Caller(key.id, key.scope)
