"""The outermost ring: gives every request an id, times it and counts it."""

import random
import re
import time

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from tidings import log, metrics

_SANE_ID = re.compile(rb"[\w.:-]{1,128}")
_log = log.get("api")


class Edge:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        started = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id)]
            await send(message)

        token = log.begin_request(request_id.decode())
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - started
            route = str(scope.get("path_template") or "unmatched")
            metrics.observe(scope["method"], route, status, seconds)
            if log.tells_all():
                _log.debug(
                    "request",
                    method=scope["method"],
                    route=route,
                    status=status,
                    milliseconds=round(seconds * 1000, 2),
                )
            log.end_request(token)


def _request_id(scope: Scope) -> bytes:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _SANE_ID.fullmatch(value):
            return value
    return b"%032x" % random.getrandbits(128)  # to find lines in a log, not to be kept secret
