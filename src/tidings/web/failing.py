"""Error pages: every one says what to do."""

import uuid
from http import HTTPStatus
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from tidings import log
from tidings.actions.sessions import TooOftenError
from tidings.clock import Clock
from tidings.domain.errors import InvalidError, TidingsError
from tidings.hall.errors import STATUS, WireError
from tidings.settings import Settings
from tidings.storage.database import AWAY, UNSTORABLE
from tidings.web.gate import SignInNeededError, bare_visit
from tidings.web.handlers import Does
from tidings.web.visit import Visit

_log = log.get("web")
_TITLES = {
    HTTPStatus.BAD_REQUEST: "That cannot be done",
    HTTPStatus.UNAUTHORIZED: "Sign in first",
    HTTPStatus.FORBIDDEN: "You may not do this",
    HTTPStatus.NOT_FOUND: "There is nothing here",
    HTTPStatus.CONFLICT: "That is taken",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Something in the form is wrong",
    HTTPStatus.TOO_MANY_REQUESTS: "Not so fast",
    HTTPStatus.SERVICE_UNAVAILABLE: "The database is away",
}
_SENTENCES = {
    HTTPStatus.NOT_FOUND: "This address leads nowhere: the page was removed, or the link is wrong.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This page does not take that. Go back and use its buttons.",
}


class Failures:
    """Turns whatever was raised into a page."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def answer(self, request: Request[Any, Any, Any], error: Exception) -> Response[str]:
        visit: Visit = request.scope["state"].get("visit") or bare_visit(
            request.scope, self._settings, self._clock.now()
        )
        if isinstance(error, SignInNeededError):
            return _to_sign_in(request, visit)
        if isinstance(error, TidingsError):
            return _refused(request, visit, error)
        if isinstance(error, WireError):
            return _drawn(visit, error.status, error.message)
        if isinstance(error, ValidationException):
            return _drawn(visit, HTTPStatus.BAD_REQUEST, f"The address is wrong: {error.detail}")
        if isinstance(error, HTTPException):
            status = HTTPStatus(error.status_code)
            return _drawn(visit, status, _SENTENCES.get(status, error.detail))
        if isinstance(error, UNSTORABLE):
            text = "The text holds a NUL character, which cannot be kept. Remove it and try again."
            return _drawn(visit, HTTPStatus.UNPROCESSABLE_ENTITY, text)
        if isinstance(error, AWAY):
            _log.warning("database_away", reason=str(error) or type(error).__name__)
            text = "The database cannot be reached just now. Try again in a moment."
            return _drawn(visit, HTTPStatus.SERVICE_UNAVAILABLE, text)
        error_id = str(uuid.uuid4())
        _log.error("fault", error_id=error_id, path=visit.path, exc_info=error)
        text = f"It is our fault, not yours. The server's log tells more under {error_id}."
        return _drawn(visit, HTTPStatus.INTERNAL_SERVER_ERROR, text)


def _refused(request: Request[Any, Any, Any], visit: Visit, error: TidingsError) -> Response[str]:
    does: Does | None = request.scope["route_handler"].opt.get("does")
    if does is not None and does.again is not None:
        request.scope["state"]["failure"] = error
    status = STATUS.get(type(error), HTTPStatus.UNAUTHORIZED)
    if isinstance(error, TooOftenError):
        status = HTTPStatus.TOO_MANY_REQUESTS
    text = error.message
    if isinstance(error, InvalidError):
        found = error.problems.items()
        text = "; ".join(f"{field} {', '.join(each.messages)}" for field, each in found)
    return _drawn(visit, status, text)


def _to_sign_in(request: Request[Any, Any, Any], visit: Visit) -> Response[str]:
    reading = request.method in ("GET", "HEAD")
    came_for = request.scope["path"] if reading and not visit.partial else None
    path = visit.places.path("sign-in", next=came_for)
    if visit.partial:
        answer = visit.go(path)
        answer.status_code = HTTPStatus.UNAUTHORIZED
        answer.headers["HX-Redirect"] = path
        return answer
    if not reading:
        text = "You are not signed in any more, so nothing was changed. Sign in and do it again."
        return _drawn(visit, HTTPStatus.UNAUTHORIZED, text)
    return visit.go(path)


def _drawn(visit: Visit, status: HTTPStatus, text: str) -> Response[str]:
    title = _TITLES.get(status, "Something went wrong")
    return visit.page("error.html", title=title, status=status, text=text)
