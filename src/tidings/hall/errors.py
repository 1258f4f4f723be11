"""One error body for every failure.

What the domain finds wrong keeps its own classes (`domain.errors`); what is wrong with the way a
request was sent is a WireError. Everything else is a fault of ours: 500, with an id that the log
line carries too.
"""

import re
import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from tidings import log
from tidings.clock import Clock
from tidings.domain import errors
from tidings.domain.errors import InvalidError, Problem, TidingsError
from tidings.hall.wire import Out, Timestamp, camel, iso
from tidings.storage.database import AWAY, UNSTORABLE

_log = log.get("api")

STATUS: dict[type[TidingsError], HTTPStatus] = {
    errors.InvalidError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.RefusedError: HTTPStatus.BAD_REQUEST,
    errors.UnprovenError: HTTPStatus.UNAUTHORIZED,
    errors.ForbiddenError: HTTPStatus.FORBIDDEN,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.ConflictError: HTTPStatus.CONFLICT,
}

SENTENCES = {
    HTTPStatus.NOT_FOUND: "Nothing is served at this address. See /docs for what is.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that method. See /docs.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request body is larger than this server accepts.",
}

_TOKEN = re.compile(r"(?<=\btoken=)[^&]+")
"""Browsers have to send it in the query; nothing repeats it."""


class WireError(Exception):
    """The request was sent in a way we cannot take."""

    def __init__(
        self,
        status: HTTPStatus,
        message: str,
        headers: Mapping[str, str] | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})
        self.details = details


class ErrorOut(Out, frozen=True, kw_only=True):
    """What every failure answers. The members of `ctx` are repeated at the top level."""

    status_code: int
    timestamp: Timestamp
    path: str
    message: str
    error: str
    ctx: dict[str, Any]
    errors: dict[str, Problem] | msgspec.UnsetType = msgspec.UNSET
    error_id: str | msgspec.UnsetType = msgspec.UNSET


class Failures:
    """Turns whatever was raised into an answer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def answer(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        if isinstance(error, InvalidError):
            return self._body(request, STATUS[InvalidError], error.message, problems=error.problems)
        if isinstance(error, TidingsError):
            return self._body(request, STATUS[type(error)], error.message, error.details)
        if isinstance(error, WireError):
            return self._body(request, error.status, error.message, error.details, error.headers)
        if isinstance(error, ValidationException):
            return self._body(
                request,
                STATUS[InvalidError],
                "Validation Error",
                problems=_problems(error, request),
            )
        if isinstance(error, HTTPException):
            return self._http(request, error)
        if isinstance(error, AWAY):
            return self._away(request, error)
        if isinstance(error, UNSTORABLE):
            return self._unstorable(request)
        return self._fault(request, error)

    def _http(self, request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
        status = HTTPStatus(error.status_code)
        return self._body(
            request, status, SENTENCES.get(status, error.detail), headers=error.headers
        )

    def _away(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        _log.warning("database_away", reason=str(error) or type(error).__name__)
        return self._body(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The database cannot be reached just now. Try again in a moment.",
            headers={"Retry-After": "2"},
        )

    def _unstorable(self, request: Request[Any, Any, Any]) -> Response[Any]:
        """Nothing we keep has such a name; in a query or a body it breaks a rule."""
        if "\0" in request.scope["path"]:
            status = HTTPStatus.NOT_FOUND
            return self._body(request, status, "A name in the path contains a NUL character.")
        problems = {"request": Problem(["must not contain a NUL character"])}
        return self._body(request, STATUS[InvalidError], "Validation Error", problems=problems)

    def _fault(self, request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
        error_id = str(uuid.uuid4())
        _log.error("fault", error_id=error_id, path=request.url.path, exc_info=error)
        return self._body(
            request,
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "Something went wrong on our side. The server's log tells more under this errorId.",
            error_id=error_id,
        )

    def _body(
        self,
        request: Request[Any, Any, Any],
        status: HTTPStatus,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        problems: dict[str, Problem] | None = None,
        error_id: str | None = None,
    ) -> Response[Any]:
        query = _TOKEN.sub("", request.scope["query_string"].decode("latin-1"))
        body = ErrorOut(
            status_code=status,
            timestamp=iso(self._clock.now()),
            path=request.scope["path"] + ("?" + query if query else ""),
            message=message,
            error=status.phrase,
            ctx=dict(details or {}),
            errors=msgspec.UNSET if problems is None else problems,
            error_id=msgspec.UNSET if error_id is None else error_id,
        )
        content = {**(details or {}), **msgspec.to_builtins(body)}
        return Response(content, status_code=status, headers=dict(headers or {}))


def _problems(error: ValidationException, request: Request[Any, Any, Any]) -> dict[str, Problem]:
    """The framework's findings about path and query parameters, in our shape."""
    problems = {}
    for found in error.extra if isinstance(error.extra, list) else []:
        if found.get("source") == "body":
            return {"body": Problem(["A JSON body is required."])}
        field = camel(str(found.get("key", "request")))
        given = request.query_params.get(field, msgspec.UNSET)
        problems[field] = Problem([plain(str(found["message"]))], given)
    return problems or {"request": Problem([error.detail])}


_KINDS = {
    "`str`": "a string",
    "`int`": "a whole number",
    "`float`": "a number",
    "`bool`": "true or false",
    "`object`": "an object",
    "`array`": "a list",
    "`null`": "null",
}


def plain(message: str) -> str:
    """The decoder's message in the words of JSON."""
    for theirs, ours in _KINDS.items():
        message = message.replace(theirs, ours)
    return message.replace("Expected", "must be", 1).replace("`", '"')
