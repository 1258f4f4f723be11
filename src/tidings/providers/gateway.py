"""An HTTP gateway of the caller's own, described by credentials: method, headers and body with
placeholders, and where its answer says what. What is not described stays as the provider makes it.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers import placeholders
from tidings.providers.blocks import Reader, judge, nothing, on, path, text, xml
from tidings.providers.credentials import Field, may
from tidings.providers.exchange import Request, Response
from tidings.providers.outcomes import SENT, Result

METHODS = ("POST", "GET", "PUT", "PATCH")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_TELLS_A_SECRET = re.compile(r"authorization|cookie|key|token|secret|password", re.IGNORECASE)
_PLACE = re.compile(r"\.|(/[\w.-]+)+|[^\s/]+")
_LONGEST = 500
_WHERE = "a path in JSON (data.id), /names of elements in XML, or . for the whole answer"


def request_fields(known: Sequence[str]) -> tuple[Field, ...]:
    """The fields that describe the request; `known` are the names that its texts may hold."""
    listed = ", ".join(known)
    return (
        may(
            "requestMethod",
            "Method",
            default="POST",
            check=_method,
            help=f"{', '.join(METHODS)}.",
        ),
        may(
            "requestHeaders",
            "Headers",
            check=lambda value: _headers_fault(value, known),
            help="An object; its values may hold placeholders, as in `Bearer {{apiKey}}`.",
        ),
        may(
            "requestBody",
            "Body",
            check=lambda value: placeholders.body_fault(value, known),
            help=f"JSON, XML, a form or text with placeholders: {listed}.",
        ),
    )


def _place_fault(value: str) -> str | None:
    return None if _PLACE.fullmatch(value) else f"must be {_WHERE}"


def _path(name: str, label: str, help: str, **more: Any) -> Field:
    return may(name, label, check=_place_fault, help=help, **more)


ANSWER_FIELDS = (
    _path("idPath", "Id path", f"Where the answer has the id: {_WHERE}.", default="id"),
    _path("datePath", "Date path", "Where the answer has the date; written alike."),
    _path("successPath", "Success path", "What must be there beside a 2xx status."),
    may("successValue", "Success value", help="One or more, with commas; * for any end: OK*."),
    _path("errorPath", "Error path", "Where a refusal gives its reason."),
)


def url_check(known: Sequence[str]) -> Any:
    """The check of an address that may hold placeholders."""
    return lambda value: placeholders.url_fault(value, known)


def described(
    request: Request, credentials: Credentials, values: Mapping[str, Any], fill_url: bool = True
) -> Request:
    """The request with everything that the credentials describe in its place."""
    method = credentials.request_method or request.method
    plain = method == request.method and not (
        credentials.request_headers or credentials.request_body
    )
    if plain and not (fill_url and "{{" in request.url):
        return request
    headers = dict(request.headers)
    for name, value in credentials.request_headers.items():
        headers = {old: kept for old, kept in headers.items() if old.lower() != name.lower()}
        headers[name] = placeholders.fill_header(value, values)
    body = None if method == "GET" else request.body
    if credentials.request_body:
        body = placeholders.fill_body(credentials.request_body, values)
    url = placeholders.fill_url(request.url, values) if fill_url else request.url
    return msgspec.structs.replace(request, method=method, url=url, headers=headers, body=body)


def uses(credentials: Credentials, name: str) -> bool:
    """Whether any text of the description holds this placeholder."""
    texts = (credentials.request_body, credentials.base_url, *credentials.request_headers.values())
    return any(name in placeholders.names(each) for each in texts)


def judge_described(response: Response, credentials: Credentials) -> Result:
    wanted = credentials.success_value
    at = place(credentials.success_path)
    accepted = Reader(lambda response: _is_success(at(response), wanted))
    return judge(
        response,
        accepted=on(SENT, at=accepted) if credentials.success_path else None,
        message_id=place(credentials.id_path or "id"),
        sent_at=place(credentials.date_path),
        reason=place(credentials.error_path),
    )


def place(where: str) -> Reader:
    """What a path of the description reads."""
    if not where:
        return nothing
    if where == ".":
        return Reader(lambda response: text(response)[:_LONGEST])
    if where.startswith("/"):
        return xml(where.strip("/").partition("/")[2] or ".")
    return path(where)


def _is_success(value: Any, wanted: str) -> bool:
    if not wanted:
        return bool(value)
    said = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return any(fnmatchcase(said.strip(), each.strip()) for each in wanted.split(","))


def _method(value: str) -> str | None:
    return None if value in METHODS else f"must be one of {', '.join(METHODS)}"


def _headers_fault(headers: Mapping[str, str], known: Sequence[str]) -> str | None:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or name.lower() in _NOT_OURS:
            return f"cannot hold {name[:80]!r}"
        if not value.isprintable():
            return f"must have printable text as {name}"
        if fault := placeholders.fault(value, known):
            return f"({name}) {fault}"
        if _TELLS_A_SECRET.search(name) and not placeholders.names(value):
            return (
                f"would show everybody what {name} holds; keep the secret in a credential of its "
                "own and refer to it, as in Bearer {{apiKey}}"
            )
    return None
