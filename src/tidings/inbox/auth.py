"""Who is visiting: the token in the Authorization header."""

from http import HTTPStatus
from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide
from litestar.types import ASGIApp, Receive, Scope, Send

from tidings.domain.errors import UnprovenError
from tidings.domain.subscribers import Subscriber
from tidings.hall.errors import WireError
from tidings.hall.given import Conn
from tidings.inbox.tokens import Tokens, Visitor
from tidings.storage import subscribers

SCHEME = "Bearer"
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="Tidings inbox"'}

ByVisitor = NamedDependency[Visitor]
"""`visitor`: the subscriber whose token came with the request."""
OfSubscriber = NamedDependency[Subscriber]
"""`subscriber`: the same with everything that is known of it."""


class Authenticate:
    """Lets a request through with its Visitor in the state, or refuses it."""

    def __init__(self, app: ASGIApp, tokens: Tokens) -> None:
        self._app = app
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["visitor"] = await prove(self._tokens, token_in(scope))
        await self._app(scope, receive, send)


async def prove(tokens: Tokens, token: str) -> Visitor:
    visitor = await tokens.visitor(token)
    if visitor is None:
        raise _unauthorized(
            "The session token is not valid or has run out. Open a new session with "
            "POST /v1/inbox/session."
        )
    return visitor


def providers() -> dict[str, Provide]:
    return {
        "visitor": Provide(_visitor, sync_to_thread=False),
        "subscriber": Provide(_subscriber),
    }


def _visitor(request: Request[Any, Any, Any]) -> Visitor:
    visitor: Visitor = request.scope["state"]["visitor"]
    return visitor


async def _subscriber(conn: Conn, visitor: ByVisitor) -> Subscriber:
    """A token outlives its subscriber; then it opens nothing."""
    found = await subscribers.find(conn, visitor.scope, visitor.subscriber_key)
    if found is None or found.id != visitor.subscriber_id:
        raise UnprovenError("This session's subscriber does not exist any more. Open a new one.")
    return found


def token_in(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            if scheme.lower() != SCHEME.lower() or not token.strip():
                break
            return token.strip()
    raise _unauthorized(
        "The inbox needs `Authorization: Bearer <token>`; POST /v1/inbox/session gives the token."
    )


def _unauthorized(message: str) -> WireError:
    return WireError(HTTPStatus.UNAUTHORIZED, message, _CHALLENGE)
