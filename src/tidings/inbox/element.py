"""The element `<tidings-inbox>`: one script that any site may load."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

from litestar import Request, Response, get
from litestar.types import ControllerRouterHandler

PATH = "/inbox.js"
_SOURCE = (Path(__file__).parent / "static" / "inbox.js").read_bytes()
_PACKED = gzip.compress(_SOURCE, mtime=0)
_TAG = hashlib.sha256(_SOURCE).hexdigest()[:20]
_HEADERS = {
    "Access-Control-Allow-Origin": "*",  # a module is only loaded from another site if it says so
    "Cache-Control": "public, max-age=600, stale-while-revalidate=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
}


@get(PATH, include_in_schema=False)
async def element(request: Request[Any, Any, Any]) -> Response[bytes]:
    packs = "gzip" in request.headers.get("accept-encoding", "")
    tag = f'"{_TAG}-gzip"' if packs else f'"{_TAG}"'
    headers = {**_HEADERS, "ETag": tag}
    if _TAG in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    if packs:
        headers["Content-Encoding"] = "gzip"
    return Response(
        _PACKED if packs else _SOURCE,
        media_type="text/javascript",
        headers=headers,
    )


PAGES: list[ControllerRouterHandler] = [element]
