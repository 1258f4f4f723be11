"""The interface described by itself: OpenAPI 3.1 at /openapi.json, a page for people at /docs."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from litestar import Litestar, Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from tidings import __version__
from tidings.api import docs_page
from tidings.hall import given
from tidings.hall.body import StrictJson
from tidings.hall.errors import ErrorOut
from tidings.hall.wire import camel

_INTRODUCTION = """\
Tidings takes events from applications and decides who hears of them, on which channel, when and
how.

Every operation below `/v1` and `/v2` needs the header `Authorization: ApiKey <key>`; a key belongs
to one environment. `tidings keys create --environment Development` makes one.

Every operation that changes something takes the optional header `idempotency-key`: the first
answer is kept for 24 hours and given again, with `Idempotency-Replay: true`, to a repetition.

Every failure has the same body: `statusCode`, `timestamp`, `path`, `message`, `error` and `ctx`; a
422 also has `errors`, which names each field.\
"""

_FAILURES = {
    "400": "The request cannot be done, or its JSON is malformed.",
    "401": "The key is missing, malformed or unknown.",
    "403": "The key belongs to another environment.",
    "404": "There is no such thing in this environment.",
    "409": "It exists already, or a request with this idempotency-key is in flight.",
    "413": "The body is larger than this server accepts.",
    "415": "The body is not sent as application/json.",
    "422": "A value breaks a rule; `errors` says which and why.",
    "503": "The database is away; try again after `Retry-After` seconds.",
}
_WITHOUT_BODY = ("413", "415")
_SIGNED = "/v2/inbound-webhooks/"
_SECURITY = "apiKey"
_STRICT = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


def handlers(described: Sequence[ControllerRouterHandler]) -> list[ControllerRouterHandler]:
    document = cache(lambda: describe(described))
    page = cache(lambda: docs_page.render(document()))

    @get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response[bytes]:
        return Response(msgspec.json.encode(document()), media_type="application/json")

    @get("/docs", include_in_schema=False)
    async def docs() -> Response[str]:
        return Response(page(), media_type="text/html; charset=utf-8", headers=_headers())

    @get("/docs/assets/{name:str}", include_in_schema=False)
    async def asset(name: FromPath[str]) -> Response[bytes]:
        if name not in docs_page.ASSETS:
            raise NotFoundException
        media_type, content = docs_page.ASSETS[name]
        return Response(content, media_type=media_type, headers=_headers())

    return [openapi, docs, asset]


def describe(described: Sequence[ControllerRouterHandler]) -> dict[str, Any]:
    """The OpenAPI document of these handlers."""
    config = OpenAPIConfig(
        title="Tidings",
        version=__version__,
        description=_INTRODUCTION,
        components=Components(
            security_schemes={
                _SECURITY: SecurityScheme(
                    type="apiKey",
                    name="Authorization",
                    security_scheme_in="header",
                    description="`ApiKey <key>`",
                )
            }
        ),
        operation_id_creator=lambda handler, method, parts: camel(handler.handler_name),
    )
    app = Litestar(
        [*described, _error_shape],
        dependencies=given.described(),
        dto=StrictJson,
        return_dto=None,
        openapi_config=config,
    )
    return _finish(app.openapi_schema.to_schema())


@get("/", operation_id="errorShape")
async def _error_shape() -> ErrorOut:
    """Never served: brings the error body into the document's components."""
    raise NotFoundException


def _finish(document: dict[str, Any]) -> dict[str, Any]:
    document["paths"].pop("/", None)
    document["servers"] = [{"url": "/"}]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if path.startswith(("/v1/", "/v2/")) and not path.startswith(_SIGNED):
                _guard(operation, method)
            else:
                operation["responses"].pop("400", None)
    tidy: dict[str, Any] = _untangle(document)
    return tidy


def _guard(operation: dict[str, Any], method: str) -> None:
    operation["security"] = [{_SECURITY: []}]
    error = {"application/json": {"schema": {"$ref": f"#/components/schemas/{ErrorOut.__name__}"}}}
    for status, text in _FAILURES.items():
        if status not in _WITHOUT_BODY or "requestBody" in operation:
            operation["responses"][status] = {"description": text, "content": error}
    if method != "get":
        operation.setdefault("parameters", []).append(
            {
                "name": "idempotency-key",
                "in": "header",
                "required": False,
                "description": "Makes a repetition harmless: the first answer is given again.",
                "schema": {"type": "string", "maxLength": 255},
            }
        )


def _untangle(node: Any) -> Any:
    """Drop the wrapping that an optional field leaves behind, `oneOf` with a single choice, and
    mark what its description calls deprecated."""
    if isinstance(node, list):
        return [_untangle(each) for each in node]
    if not isinstance(node, dict):
        return node
    tidy = {name: _untangle(value) for name, value in node.items()}
    if str(tidy.get("description", "")).startswith("Deprecated"):
        tidy["deprecated"] = True
    if isinstance(tidy.get("oneOf"), list) and len(tidy["oneOf"]) == 1:
        return {**tidy.pop("oneOf")[0], **tidy}
    return tidy


def _headers() -> dict[str, str]:
    return {"Content-Security-Policy": _STRICT, "X-Content-Type-Options": "nosniff"}
