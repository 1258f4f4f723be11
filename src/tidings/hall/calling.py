"""Calls a handler directly: what it asks for is worked out once, when it is first called.

The framework finds the handler, describes it and answers what goes wrong. Its own way of filling in
a handler's arguments costs more than all that we do for a page, so a request that is in order does
not take it. Whatever is out of the ordinary does: a value that does not fit its parameter, a body
that is missing, a handler that makes its own response.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request, Response
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import ParameterKwarg, PathParameter, QueryParameter
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from tidings.hall import body
from tidings.hall.errors import Failures, WireError
from tidings.hall.given import Getter
from tidings.hall.query import Query, parsed

Envelope = Callable[[Any], Any]
"""What is answered in place of what a handler returned."""

_Reading = Callable[[Query, Mapping[str, Any]], Any]
_LISTS = (list, tuple)


class _Unfit(Exception):  # noqa: N818
    """This request is left to the framework."""


class Calling:
    """The innermost ring around the handlers of a door."""

    def __init__(
        self,
        app: ASGIApp,
        getters: Mapping[str, Getter],
        envelope: Envelope,
        failures: Failures,
        body_limit: int,
    ) -> None:
        self._app = app
        self._failures = failures
        self._getters = getters
        self._envelope = envelope
        self._body_limit = body_limit
        self._plans: dict[HTTPRouteHandler, _Plan | None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        handler: Any = scope["route_handler"]
        if handler not in self._plans:
            self._plans[handler] = _plan(handler, self._getters)
        plan = self._plans[handler]
        if plan is None:
            await self._app(scope, receive, send)
            return
        try:
            arguments = plan.parameters(scope)  # type: ignore[arg-type]
            if plan.decoder is not None:
                content = await body.read(receive, self._body_limit)
                receive = body.reader(content)
                arguments["data"] = _data(scope, plan.decoder, content)
            answer = await self._answer(plan, arguments, scope, receive, send)
        except _Unfit:
            await self._app(scope, receive, send)
            return
        except Exception as error:
            await self._fail(error, scope, receive, send)
            return
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(answer)),
        ]
        await send({"type": "http.response.start", "status": plan.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer, "more_body": False})

    async def _answer(
        self, plan: "_Plan", arguments: dict[str, Any], scope: Scope, receive: Receive, send: Send
    ) -> bytes:
        if plan.takes_request:
            arguments["request"] = Request(scope, receive, send)
        for name, getter in plan.getters:
            arguments[name] = getter(scope)
        for name, opening in plan.openings:
            arguments[name] = await opening(scope)
        return msgspec.json.encode(self._envelope(await plan.handle(**arguments)))

    async def _fail(self, error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
        """Answered in here, so that the unit of work around us sees what was answered."""
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        answer = self._failures.answer(request, error)
        await answer.to_asgi_response(app=None, request=request)(scope, receive, send)


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How one handler is called."""

    handle: Callable[..., Awaitable[Any]]
    status: int
    readings: tuple[tuple[str, _Reading], ...]
    """Arguments from the path and the query."""
    getters: tuple[tuple[str, Getter], ...]
    openings: tuple[tuple[str, Getter], ...]
    """Getters that must be awaited; they come last, when all else is in order."""
    decoder: msgspec.json.Decoder[Any] | None
    takes_request: bool
    unsaid: dict[str, Any] | None
    """The arguments of a request that says nothing in its path and its query."""

    def parameters(self, scope: HTTPScope) -> dict[str, Any]:
        if self.unsaid is not None and not scope["query_string"]:
            return self.unsaid.copy()
        query, path = parsed(scope["query_string"]), scope["path_params"]
        return {name: read(query, path) for name, read in self.readings}


def _data(scope: Scope, decoder: msgspec.json.Decoder[Any], content: bytes) -> Any:
    if not content:
        raise _Unfit
    body.check_media_type(scope)
    return body.decode(decoder, content)


def _plan(handler: HTTPRouteHandler, getters: Mapping[str, Getter]) -> _Plan | None:
    """None for a handler that only the framework can call."""
    hints = get_type_hints(handler.fn, include_extras=True)
    answered = hints.pop("return", None)
    own_response = (get_origin(answered) or answered) in (Response, str, bytes, NoneType)
    if own_response or handler.has_sync_callable:
        return None
    given = [(name, getters[name]) for name in hints if name in getters]
    rest = [name for name in hints if name not in getters and name not in ("data", "request")]
    provided = handler.resolve_dependencies()
    readings = {name: _reading(handler.fn, name, hints[name], provided) for name in rest}
    if None in readings.values():
        return None
    data = hints.get("data")
    known = tuple((name, read) for name, read in readings.items() if read is not None)
    return _Plan(
        handle=handler.fn,
        status=handler.status_code,
        readings=known,
        unsaid=_unsaid(known),
        getters=tuple((name, get) for name, get in given if not inspect.iscoroutinefunction(get)),
        openings=tuple((name, get) for name, get in given if inspect.iscoroutinefunction(get)),
        decoder=None if data is None else msgspec.json.Decoder(get_args(data)[0]),
        takes_request="request" in hints,
    )


def _unsaid(readings: Sequence[tuple[str, _Reading]]) -> dict[str, Any] | None:
    """None if a request has to say something."""
    try:
        return {name: read({}, {}) for name, read in readings}
    except (_Unfit, KeyError, WireError):
        return None


def _reading(
    function: Callable[..., Any], name: str, hint: Any, provided: Mapping[str, Provide]
) -> _Reading | None:
    """How to read one argument off a request; None when we do not know."""
    kind, *marks = get_args(hint) or (hint,)
    mark = next((each for each in marks if isinstance(each, ParameterKwarg)), None)
    default = inspect.signature(function).parameters[name].default
    if isinstance(mark, PathParameter):
        return _from_path(mark.name or name, kind)
    if isinstance(mark, QueryParameter):
        return _from_query(mark.name or name, kind, default)
    if name in provided and provided[name].has_sync_callable:
        return _from_provider(provided[name].dependency, provided)
    return None


def _from_path(name: str, kind: Any) -> _Reading | None:
    return (lambda query, path: path[name]) if kind is str else None


def _from_query(name: str, kind: Any, default: Any) -> _Reading:
    several = any(get_origin(each) in _LISTS or each in _LISTS for each in (kind, *get_args(kind)))
    required = default is inspect.Parameter.empty
    unsaid = None if required else msgspec.convert(default, kind, strict=False)

    def read(query: Query, path: Mapping[str, Any]) -> Any:
        values = query.get(name)
        if values is None:
            if required:
                raise _Unfit
            return unsaid
        try:
            return msgspec.convert(values if several else values[-1], kind, strict=False)
        except msgspec.ValidationError:
            raise _Unfit from None

    return read


def _from_provider(
    function: Callable[..., Any], provided: Mapping[str, Provide]
) -> _Reading | None:
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    parts = {name: _reading(function, name, hint, provided) for name, hint in hints.items()}
    known = {name: part for name, part in parts.items() if part is not None}
    if len(known) < len(parts):
        return None
    return lambda query, path: function(**{name: part(query, path) for name, part in known.items()})
