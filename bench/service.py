"""A whole service for a figure: started on a free port with an embedded database, and stopped."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import machine
from tidings.storage.embedded import EmbeddedPostgres

_KEY = "key-of-a-benchmark"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Service:
    def __init__(self, data: Path, *arguments: str) -> None:
        self.data = data
        self.port = free_port()
        self.headers = {"Authorization": f"ApiKey {_KEY}"}
        self._base = f"http://127.0.0.1:{self.port}"
        self._started = time.monotonic()
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith("TIDINGS_")}
        self._environment["TIDINGS_BOOTSTRAP_API_KEY"] = _KEY
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tidings", "serve"),
                *("--data-dir", str(data), "--port", str(self.port)),
                *arguments,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment,
        )

    def wait_ready(self) -> float:
        """How long the start took."""
        while time.monotonic() < self._started + 60:
            try:
                urllib.request.urlopen(f"{self._base}/health/ready", timeout=1)
                return time.monotonic() - self._started
            except (urllib.error.URLError, OSError):
                time.sleep(0.01)
        raise RuntimeError("the service did not become ready")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)

    def post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            self._base + path,
            json.dumps(body).encode(),
            {**self.headers, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def command(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "tidings", *arguments, "--data-dir", str(self.data)],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )

    def database_url(self) -> str:
        return EmbeddedPostgres(self.data).url()

    def python(self) -> list[int]:
        return [pid for pid in machine.family(self.process.pid) if machine.is_python(pid)]

    def everyone(self) -> list[int]:
        return machine.family(self.process.pid)


@contextmanager
def serving(*arguments: str) -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder) / "data", *arguments)
        try:
            service.wait_ready()
            yield service
        finally:
            service.stop()
