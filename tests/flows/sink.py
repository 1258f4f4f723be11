"""A provider on this machine that does as it is told, on a real socket."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Sink:
    """Counts what arrives; `behaviour` says how the next calls are answered."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.bodies: list[bytes] = []
        self.behaviour = "ok"
        self.refusal = b'{"error": "refused"}'
        self.released = threading.Event()


@contextmanager
def sinking() -> Iterator[Sink]:
    sink: Sink

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            sink.bodies.append(body)
            if sink.behaviour == "hang":
                sink.released.wait(60)
            if sink.behaviour in ("hang", "close"):
                self.close_connection = True
                return
            status, answer = {
                "ok": (200, b'{"id": "1"}'),
                "garbage": (200, b"\xff\x00 <html>"),
                "400": (400, sink.refusal),
                "429": (429, b""),
                "503": (503, b"{}"),
            }[sink.behaviour]
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "1")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sink = Sink(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield sink
    finally:
        sink.released.set()
        server.shutdown()
        server.server_close()
