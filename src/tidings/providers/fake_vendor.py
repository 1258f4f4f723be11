"""A vendor that exists only here, as strict as its page: what it does not know, it refuses.

A shape says what a body may hold: a type; a value; a list of one shape; a tuple of alternatives; or
an object, where a name that ends in `!` must be there and the name `*` stands for any other.
"""

from collections.abc import Callable, Iterator, Mapping
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from tidings.providers.exchange import Encoded, Response

ANY = object()
_DENIED = Response(status=401, body=b'{"message":"Unauthorized"}')


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of a vendor's API."""

    method: str = "POST"
    url: str
    """Without the query."""
    auth: Mapping[str, str] = {}
    """Headers, in lower case, without which the caller is turned away."""
    known: Callable[[Encoded], bool] = lambda request: True
    """Whether the caller is known, for vendors that do not ask for it in a plain header."""
    headers: Mapping[str, str] = {}
    mime: str = "application/json"
    body: Any = ANY
    query: Any = msgspec.field(default_factory=dict)
    answer: Response
    denied: Response = _DENIED

    def respond(self, request: Encoded) -> tuple[Response, list[str]]:
        headers = {name.lower(): value for name, value in request.headers.items()}
        strange = any(headers.get(name) != value for name, value in self.auth.items())
        if strange or not self.known(request):
            return self.denied, []
        faults = [
            f"header {name} is {headers.get(name)!r}, not {value!r}"
            for name, value in self.headers.items()
            if headers.get(name) != value
        ]
        mime = headers.get("content-type", "").partition(";")[0]
        if mime != self.mime:
            faults.append(f"content type is {mime!r}, not {self.mime!r}")
        faults += _faults(content_of(request), self.body, "body")
        faults += _faults(_flat(parse_qs(urlsplit(request.url).query)), self.query, "query")
        if faults:
            return Response(status=400, body=msgspec.json.encode({"refused": faults})), faults
        return self.answer, []


class FakeVendor:
    """An `Http` in which only these calls exist."""

    def __init__(self, *calls: Call) -> None:
        self._calls = {(call.method, call.url): call for call in calls}
        self.requests: list[Encoded] = []
        self.faults: list[str] = []

    async def send(self, request: Encoded) -> Response:
        self.requests.append(request)
        call = self._calls.get((request.method, request.url.partition("?")[0]))
        if call is None:
            self.faults.append(f"there is no {request.method} {request.url}")
            return Response(status=404, body=b'{"message":"Not found"}')
        response, faults = call.respond(request)
        self.faults += faults
        return response

    async def close(self) -> None:
        pass


def content_of(request: Encoded) -> Any:
    """A body as values: JSON, or the fields of a form; files are bytes."""
    mime = next((v for name, v in request.headers.items() if name.lower() == "content-type"), "")
    if mime.startswith("multipart/form-data"):
        return _multipart(mime, request.body)
    if mime.startswith("application/x-www-form-urlencoded"):
        return _flat(parse_qs(request.body.decode(), keep_blank_values=True))
    return msgspec.json.decode(request.body) if request.body else {}


def _multipart(mime: str, body: bytes) -> dict[str, Any]:
    whole = f"Content-Type: {mime}\r\n\r\n".encode() + body
    fields: dict[str, list[Any]] = {}
    for part in BytesParser(policy=HTTP).parsebytes(whole).iter_parts():
        name = str(part.get_param("name", header="content-disposition"))
        content: Any = part.get_payload(decode=True)
        fields.setdefault(name, []).append(content if part.get_filename() else content.decode())
    return _flat(fields)


def _flat(fields: Mapping[str, list[Any]]) -> dict[str, Any]:
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def _faults(value: Any, shape: Any, where: str) -> Iterator[str]:
    if shape is ANY:
        return
    if isinstance(shape, tuple):
        if not any(not list(_faults(value, each, where)) for each in shape):
            yield f"{where} is {value!r}, which is none of what it may be"
    elif isinstance(shape, type):
        if not isinstance(value, shape) or (shape is int and isinstance(value, bool)):
            yield f"{where} is {value!r}, not of {shape.__name__}"
    elif isinstance(shape, list):
        if not isinstance(value, list) or not value:
            yield f"{where} is {value!r}, not a list with something in it"
        else:
            for number, item in enumerate(value):
                yield from _faults(item, shape[0], f"{where}.{number}")
    elif isinstance(shape, Mapping):
        yield from _object_faults(value, shape, where)
    elif value != shape:
        yield f"{where} is {value!r}, not {shape!r}"


def _object_faults(value: Any, shape: Mapping[str, Any], where: str) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{where} is {value!r}, not an object"
        return
    known = {name.rstrip("!"): each for name, each in shape.items()}
    for name in shape:
        if name.endswith("!") and name[:-1] not in value:
            yield f"{where}.{name[:-1]} is missing"
    for name, item in value.items():
        if name in known or "*" in known:
            yield from _faults(item, known.get(name, known.get("*")), f"{where}.{name}")
        else:
            yield f"{where}.{name} is unknown"
