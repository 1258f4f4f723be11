"""The style sheet, the scripts and the icon: compressed once, kept by browsers for ever."""

import gzip
from functools import cache
from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from tidings.web.drawing import STATIC
from tidings.web.places import DASHBOARD

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@get(DASHBOARD + "/static/{name:str}", include_in_schema=False)
async def asset(request: Request[Any, Any, Any], name: FromPath[str]) -> Response[bytes]:
    if name not in _names():
        raise NotFoundException
    plain, small = _content(name)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    zipped = "gzip" in request.headers.get("accept-encoding", "")
    if zipped:
        headers["Content-Encoding"] = "gzip"
    media_type = _TYPES[name[name.rindex(".") :]]
    return Response(small if zipped else plain, media_type=media_type, headers=headers)


@cache
def _names() -> frozenset[str]:
    return frozenset(path.name for path in STATIC.iterdir() if path.suffix in _TYPES)


@cache
def _content(name: str) -> tuple[bytes, bytes]:
    plain = (STATIC / name).read_bytes()
    return plain, gzip.compress(plain, 9)


OPEN_HANDLERS = [asset]
