"""The pages of another site, on a port of its own."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec


class Served(msgspec.Struct, frozen=True):
    body: bytes
    media_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = {}


@contextmanager
def site(files: Mapping[str, Served]) -> Iterator[str]:
    """Serves these paths at the address it hands out."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = files.get(self.path.partition("?")[0])
            self.send_response(200 if found else 404)
            for name, value in (found.headers if found else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", found.media_type if found else "text/plain")
            self.end_headers()
            self.wfile.write(found.body if found else b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
